"""What is made of values: checks, comparisons, leaderboards, gates, cross-checks."""
