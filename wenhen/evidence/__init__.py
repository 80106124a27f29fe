"""Exhibits: signed and time-stamped files that prove a case."""
