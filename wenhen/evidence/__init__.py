"""Exhibits: cases as signed and time-stamped files that prove them."""
