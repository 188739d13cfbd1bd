"""Command lines as GNU getopt_long reads them, which scripts that call trec_eval rely on."""

from __future__ import annotations

import os

from treckon.errors import TreckonError


class OptionError(TreckonError):
    """A command line that can't be read; the text is getopt's own line."""


def parse(
    program: str,
    argv: list[str],
    short: str,
    long: dict[str, bool],
    own_long: dict[str, bool],
) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Options in the order given, as (name, argument), and the other arguments.

    program:  what messages begin with
    short:    letters of short options, a colon behind those that take an argument
    long:     long options and whether they take an argument; any unique beginning of a name will do
    own_long: further ones, whose beginnings never make a beginning of `long` ambiguous

    Options and other arguments may be mixed, unless POSIXLY_CORRECT is set; ``--`` ends the options.
    """
    options: list[tuple[str, str | None]] = []
    others: list[str] = []
    rest = list(argv)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            return options, others + rest
        if argument.startswith("--"):
            options.append(_long_option(program, argument[2:], rest, long, own_long))
        elif argument.startswith("-") and argument != "-":
            _short_options(program, argument[1:], rest, short, options)
        elif "POSIXLY_CORRECT" in os.environ:
            return options, [*others, argument, *rest]
        else:
            others.append(argument)
    return options, others


def _long_option(
    program: str, text: str, rest: list[str], long: dict[str, bool], own_long: dict[str, bool]
) -> tuple[str, str | None]:
    given, equals, value = text.partition("=")
    name = _full_name(program, given, long, own_long)
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


def _full_name(program: str, given: str, long: dict[str, bool], own_long: dict[str, bool]) -> str:
    for names in (long, own_long):
        if given in names:
            return given
        possible = [name for name in names if name.startswith(given)]
        if len(possible) == 1:
            return possible[0]
        if possible:
            listed = " ".join(f"'--{name}'" for name in possible)
            raise OptionError(f"{program}: option '--{given}' is ambiguous; possibilities: {listed}")
    raise OptionError(f"{program}: unrecognized option '--{given}'")


def _short_options(
    program: str, letters: str, rest: list[str], short: str, options: list[tuple[str, str | None]]
) -> None:
    while letters:
        letter, letters = letters[0], letters[1:]
        at = short.find(letter)
        if at < 0 or letter == ":":
            raise OptionError(f"{program}: invalid option -- '{letter}'")
        if short[at + 1 : at + 2] != ":":
            options.append((letter, None))
        elif letters:
            options.append((letter, letters))
            return
        elif rest:
            options.append((letter, rest.pop(0)))
        else:
            raise OptionError(f"{program}: option requires an argument -- '{letter}'")
