"""The verb: judgements, a run and measures to values."""
