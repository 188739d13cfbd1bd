"""What is done with values: checks, comparisons, leaderboards, gates, cross-checks."""
