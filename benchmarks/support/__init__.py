"""What the benchmark scripts share: test data, measuring, and the calls of treckon and its peers."""
