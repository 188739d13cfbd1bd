"""The commands, one module each. Only they print and exit."""
