"""MongoDB behind the ports, one file a collection."""
