"""One module a family: kernels and their records side by side. Importing this package fills the registry."""

# The modules hold nothing but records and kernels: they have no stubs.
from treckon.measures import (  # type: ignore[attr-defined]  # noqa: F401
    average,
    counts,
    first,
    gain,
    precision,
    preference,
    text,
    user_model,
)
from treckon.measures.registry import register_later

# trec_eval has no measure of these families.
register_later(f"{__name__}.{family}" for family in ("agreement", "cascade", "cwl", "diversity"))
