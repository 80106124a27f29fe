"""The commands of the laboratory; `wenhen.cli.main` finds them by name."""
