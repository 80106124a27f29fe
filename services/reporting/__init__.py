"""Reports that take long: asked for, made in the background, kept. How a report is written does not belong in it."""
