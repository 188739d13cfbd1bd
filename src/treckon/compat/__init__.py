"""What treckon does like other evaluators.

A module for each: `pytrec_eval`, `beir`, `mteb` and `ranx` have these libraries' calls, `ir_measures` makes treckon a
provider of that library. `install` puts one in the place of a library that other code imports.
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
    _replaced[name] = {imported: sys.modules.get(imported) for imported in names}
    for imported in names:
        sys.modules[imported] = module


def uninstall(name: str) -> None:
    """Undoes `install`: whatever was imported by that name before is again. Without an `install`, nothing."""
    _names_of(name)
    for imported, module in _replaced.pop(name, {}).items():
        if module is None:
            sys.modules.pop(imported, None)
        else:
            sys.modules[imported] = module


def _names_of(name: str) -> tuple[str, ...]:
    names = _INSTALLED_AS.get(name)
    if names is None:
        raise ValueError(f"expected a library out of {', '.join(_INSTALLED_AS)}, found {name!r}")
    return names
