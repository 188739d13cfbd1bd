"""The compiled core. It knows nothing of files by name, of measures or of what is printed."""
