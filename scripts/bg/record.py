"""Records: like `typing.NamedTuple`, without importing `typing`, which costs a hook nearly as much as a bare start.

A module that hooks use sets `TYPE_CHECKING = False`, which type checkers take as true, and imports below it the names
that only annotations need.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    from operator import itemgetter

    class Record(tuple):
        """A tuple whose places have the names, and the defaults, that the class body gives them."""

        __slots__ = ()
        _fields: tuple[str, ...] = ()
        _defaults: dict[str, object] = {}  # noqa: RUF012 - each class has its own

        def __init_subclass__(cls) -> None:
            """Make each annotated name read its place; a value in the class body is its default."""
            cls._fields = tuple(cls.__annotations__)
            cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}
            for place, name in enumerate(cls._fields):
                setattr(cls, name, property(itemgetter(place)))

        def __new__(cls, *values: object, **named: object) -> Record:  # noqa: PYI034 - `Self` is in typing
            """Take each value by its position, by its name, or from the defaults."""
            if named or len(values) != len(cls._fields):
                rest = cls._fields[len(values) :]
                given = {**cls._defaults, **named}
                wrong = [name for name in rest if name not in given] + [name for name in named if name not in rest]
                if wrong or len(values) > len(cls._fields):
                    raise TypeError(f"{cls.__name__}: {', '.join(wrong) or 'too many values'}")
                values += tuple(given[name] for name in rest)
            return tuple.__new__(cls, values)

        def __repr__(self) -> str:
            """The record as Python source."""
            values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self) -> tuple[object, ...]:
            """The values for `copy` and `pickle`."""
            return tuple(self)

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self))

        def _replace(self, **named: object) -> Record:
            return type(self)(**{**self._asdict(), **named})


__all__ = ["Record"]
