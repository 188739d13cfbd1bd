"""Texts to measures and back: trec_eval's names, and the field's."""
