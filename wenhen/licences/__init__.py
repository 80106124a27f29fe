"""Authorised reprints: who may carry which work, and where."""
