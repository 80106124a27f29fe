"""Rules of cases: the path and its moves, which rules and exclusions cover one, in what order a list of them stands."""
