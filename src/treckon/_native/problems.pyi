PROBLEM_NAMES: tuple[str, ...]
