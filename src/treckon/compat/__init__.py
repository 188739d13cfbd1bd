"""What treckon does like other evaluators.

A module for each: `pytrec_eval`, `beir`, `mteb`, `ranx` have these libraries' calls; `trec_eval` is history that the
rest of the package needs, too. `install` puts one in the place of a library that other code imports.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# What may be installed: the names that programs import, by the module's.
_INSTALLED_AS = {"pytrec_eval": ("pytrec_eval", "pytrec_eval_ext")}

_replaced: dict[str, dict[str, ModuleType | None]] = {}


def install(name: str) -> None:
    """From now on, ``import NAME`` of any code in this process gives treckon's module of that interface.

    name: "pytrec_eval" (and pytrec_eval_ext with it)

    Modules that have imported the library before keep it. Undone by `uninstall`; a second call changes nothing.
    Raises ValueError for another name.
    """
    names = _names_of(name)
    if name in _replaced:
        return
    module = import_module(f"treckon.compat.{name}")
    _replaced[name] = {one: sys.modules.get(one) for one in names}
    for one in names:
        sys.modules[one] = module


def uninstall(name: str) -> None:
    """Undoes `install`: whatever stood under that name before stands there again. Without an `install`, nothing."""
    _names_of(name)
    for one, module in _replaced.pop(name, {}).items():
        if module is None:
            sys.modules.pop(one, None)
        else:
            sys.modules[one] = module


def _names_of(name: str) -> tuple[str, ...]:
    names = _INSTALLED_AS.get(name)
    if names is None:
        raise ValueError(f"expected a library out of {', '.join(_INSTALLED_AS)}, found {name!r}")
    return names
