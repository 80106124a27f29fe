"""The command `wenhen`: options, output and the registry of commands."""
