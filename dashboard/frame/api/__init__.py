"""Provide the common base of the API: blueprint, errors, schemas, cursors."""
