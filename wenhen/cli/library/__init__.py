"""Commands about the library: works, holders, licences, its indexes, and texts held against it."""
