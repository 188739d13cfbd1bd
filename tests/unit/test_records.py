"""Classes that only hold fields."""

from __future__ import annotations

import copy
import pickle

import pytest

from treckon.records import Record


class Point(Record):
    """A point."""

    x: int
    y: int = 0


class Named(Point):
    """A point with a name."""

    name: str = "origin"

    @property
    def text(self) -> str:
        return f"{self.name} {self.x}"


def test_fields_are_slots_with_defaults_behind_those_of_the_base():
    named = Named(1, name="a")
    assert (named.x, named.y, named.name, named.text) == (1, 0, "a", "a 1")
    assert Named.__slots__ == ("name",)
    assert not hasattr(named, "__dict__")


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 2, "z": 2})]
)
def test_init_takes_each_field_once(values: tuple[int, ...], named: dict[str, int]):
    with pytest.raises(TypeError, match=r"^Point: expected each of x, y once$"):
        Point(*values, **named)


def test_equality_is_of_class_and_fields():
    assert Point(1, 2) == Point(1, 2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 2) != Point(1, 3)
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0)


def test_a_record_is_not_changed_but_replaced():
    point = Point(1, 2)
    with pytest.raises(AttributeError, match=r"^Point\.x can't be changed$"):
        point.x = 3  # type: ignore[misc]
    assert point.replaced(x=3) == Point(3, 2)
    assert Named(1).replaced(y=5) == Named(1, 5)


def test_repr_pickle_and_copy():
    assert repr(Named(1, 2)) == "Named(x=1, y=2, name='origin')"
    assert pickle.loads(pickle.dumps(Named(1, 2))) == Named(1, 2)
    assert copy.deepcopy(Point(1)) == Point(1)
