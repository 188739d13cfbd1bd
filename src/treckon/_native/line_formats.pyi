class LineFormat:
    fields: tuple[str, ...]
    docno: int
    value: int
    value_kind: str
    group: int | None
    subgroup: int | None
    longest_line: int

    def __new__(
        cls,
        fields: tuple[str, ...],
        docno: int,
        value: int,
        value_kind: str,
        *,
        group: int | None = None,
        subgroup: int | None = None,
        rank: int | None = None,
        allows_more: bool = False,
        indented_comments: bool = False,
        longest_line: int = ...,
    ) -> LineFormat: ...
