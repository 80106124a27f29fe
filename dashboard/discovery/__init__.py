"""Review the addresses that searches found."""
