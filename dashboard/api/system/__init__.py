"""The API of the installation: its state, the people who use it, the programs that are told."""
