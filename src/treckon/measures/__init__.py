"""One module a family: kernels and their records side by side. Importing this package fills the registry."""

# The modules hold nothing but records and kernels: they have no stubs.
from treckon.measures import (  # type: ignore[attr-defined]  # noqa: F401
    agreement,
    average,
    cascade,
    counts,
    cwl,
    diversity,
    first,
    gain,
    precision,
    preference,
    text,
    user_model,
)
