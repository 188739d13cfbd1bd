"""What treckon does like other evaluators: trec_eval's order of printing and nicknames."""
