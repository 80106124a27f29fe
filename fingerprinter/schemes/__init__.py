"""The field's fingerprints behind one small interface, each in a file of its own. Pure: no server, no framework."""
