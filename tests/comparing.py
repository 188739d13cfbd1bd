"""How tests compare two long outputs that should be equal."""


def assert_same_output(expected: bytes, found: bytes, shown: int = 8) -> None:
    """Fails with the first lines that differ, where a whole output would be thousands of lines."""
    __tracebackhide__ = True
    if expected == found:
        return
    pairs = enumerate(zip(expected.splitlines(), found.splitlines(), strict=False), start=1)
    lines = [f"  line {n}: expected {want!r}, found {got!r}" for n, (want, got) in pairs if want != got]
    raise AssertionError("\n".join([f"expected {len(expected)} bytes, found {len(found)}", *lines[:shown]]))
