"""Classes that only hold fields: frozen dataclasses with slots, without `import dataclasses`, which takes 5 ms."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda class_: class_


class _FieldsToSlots(type):
    """Makes slots of the annotated names of a class, behind those of its base."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        own = tuple(namespace.get("__annotations__", ()))
        fields = *(bases[0]._fields if bases else ()), *own  # type: ignore[attr-defined]
        defaults = bases[0]._defaults if bases else {}  # type: ignore[attr-defined]
        defaults = {**defaults, **{field: namespace.pop(field) for field in own if field in namespace}}
        namespace = {"__slots__": own, "_fields": fields, "_names": set(fields), "_defaults": defaults, **namespace}
        return super().__new__(cls, name, bases, namespace)


@dataclass_transform(frozen_default=True)
class Record(metaclass=_FieldsToSlots):
    """Base of a class whose annotations are its fields. Equal where class and fields are; can't be changed."""

    # No `__init__` is compiled for each class, as dataclasses do: that takes as long as 50 to 100 objects.
    def __init__(self, *values: Any, **named: Any) -> None:
        names: tuple[str, ...] = self._fields  # type: ignore[attr-defined]
        given = {**dict(zip(names, values, strict=False)), **named}
        fields = {**self._defaults, **given}  # type: ignore[attr-defined]
        if len(given) < len(values) + len(named) or fields.keys() != self._names:  # type: ignore[attr-defined]
            raise TypeError(f"{type(self).__name__}: expected each of {', '.join(names)} once")
        for name in names:
            object.__setattr__(self, name, fields[name])

    def replaced(self, **changes: Any) -> Self:
        """The same with other values of these fields."""
        return type(self)(**{**dict(zip(self._fields, self._values(), strict=True)), **changes})  # type: ignore[attr-defined]

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field) for field in self._fields)  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        pairs = zip(self._fields, self._values(), strict=True)  # type: ignore[attr-defined]
        return f"{type(self).__name__}({', '.join(f'{field}={value!r}' for field, value in pairs)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} can't be changed")
