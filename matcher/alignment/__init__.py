"""Two texts compared closely: which passages they share, and what was changed in them."""
