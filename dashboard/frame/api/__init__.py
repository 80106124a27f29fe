"""What the API of every matter shares: blueprint, errors, schemas, cursors."""
