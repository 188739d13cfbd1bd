"""Formats of text: a module for each or for a family, with its records, readers and writers side by side.

A module of this package registers what it has; nothing else lists the formats.
"""
