"""Run other near-duplicate tools over the same documents."""
