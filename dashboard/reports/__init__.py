"""Reports to download and reports made in the background."""
