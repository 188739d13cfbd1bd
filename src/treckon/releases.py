"""The releases of trec_eval that are followed."""

RELEASES = RELEASE_9, RELEASE_10 = ("9.0.8", "10.0")
