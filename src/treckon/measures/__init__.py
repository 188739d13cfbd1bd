"""One module a family: kernels and their records side by side. Importing this package fills the registry."""

from treckon.measures import average, counts, first, gain, precision, text, user_model  # noqa: F401
