from treckon._native.qrels import Qrels, QrelsBuilder

class Prefs(Qrels):
    def fault(self, query: int) -> tuple[str, bytes, bytes]: ...

class PrefsBuilder(QrelsBuilder):
    def finish(self, release: str, has_groups: bool = ...) -> Prefs: ...
