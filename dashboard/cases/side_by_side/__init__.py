"""Two texts side by side: cut into pieces, what was copied and changed marked in both."""
