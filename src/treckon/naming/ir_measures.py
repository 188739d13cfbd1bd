"""What ir_measures writes otherwise than the records of measures do."""

from __future__ import annotations

#: Names that stand for a measure with arguments.
WITH_ARGUMENTS: dict[str, tuple[str, dict[str, object]]] = {"SetRelP": ("SetP", {"relative": True})}

#: Arguments that can have one value only, which is what the measure does anyway.
CONSTANT: dict[str, dict[str, object]] = {"SDCG": {"dcg": "log2"}}

#: nDCG's gain and discount, which it writes as one.
DCG = {"log2": ("linear", "log2"), "exp-log2": ("exp2", "log2")}
