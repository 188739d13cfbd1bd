"""Command lines as GNU getopt_long reads them, which scripts that call trec_eval rely on."""

from __future__ import annotations

import os

from treckon.errors import TreckonError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class OptionError(TreckonError):
    """A command line that can't be read; the text is getopt's own line."""


def parse(
    program: str,
    argv: list[str],
    short: str,
    long: dict[str, bool],
    own_long: dict[str, bool],
    others: list[str],
) -> Iterator[tuple[str, str | None]]:
    """Options in the order given, as (name, argument); the other arguments are appended to `others`.

    program:  what messages begin with
    short:    letters of short options, a colon behind those that take an argument
    long:     long options and whether they take an argument; any unique beginning of a name will do
    own_long: further ones, whose beginnings never make a beginning of `long` ambiguous

    Options and other arguments may be mixed, unless POSIXLY_CORRECT is set; ``--`` ends the options. Raises OptionError
    where an option can't be read, after those before it.
    """
    rest = list(argv)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            others += rest
            return
        if argument.startswith("--"):
            yield _long_option(program, argument[2:], rest, long, own_long)
        elif argument.startswith("-") and argument != "-":
            yield from _short_options(program, argument[1:], rest, short)
        elif "POSIXLY_CORRECT" in os.environ:
            others += [argument, *rest]
            return
        else:
            others.append(argument)


def _long_option(
    program: str, text: str, rest: list[str], long: dict[str, bool], own_long: dict[str, bool]
) -> tuple[str, str | None]:
    prefix, equals, value = text.partition("=")
    name = _full_name(program, prefix, long, own_long)
    takes_argument = long[name] if name in long else own_long[name]
    if not takes_argument:
        if equals:
            raise OptionError(f"{program}: option '--{name}' doesn't allow an argument")
        return name, None
    if equals:
        return name, value
    if not rest:
        raise OptionError(f"{program}: option '--{name}' requires an argument")
    return name, rest.pop(0)


def _full_name(program: str, prefix: str, long: dict[str, bool], own_long: dict[str, bool]) -> str:
    for names in (long, own_long):
        if prefix in names:
            return prefix
        possible = [name for name in names if name.startswith(prefix)]
        if len(possible) == 1:
            return possible[0]
        if possible:
            listed = " ".join(f"'--{name}'" for name in possible)
            raise OptionError(f"{program}: option '--{prefix}' is ambiguous; possibilities: {listed}")
    raise OptionError(f"{program}: unrecognized option '--{prefix}'")


def _short_options(program: str, letters: str, rest: list[str], short: str) -> Iterator[tuple[str, str | None]]:
    while letters:
        letter, letters = letters[0], letters[1:]
        at = short.find(letter)
        if at < 0 or letter == ":":
            raise OptionError(f"{program}: invalid option -- '{letter}'")
        if short[at + 1 : at + 2] != ":":
            yield letter, None
        elif letters:
            yield letter, letters
            return
        elif rest:
            yield letter, rest.pop(0)
        else:
            raise OptionError(f"{program}: option requires an argument -- '{letter}'")
