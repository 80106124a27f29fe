"""Keep an installation well: health, problems, audit verification."""
