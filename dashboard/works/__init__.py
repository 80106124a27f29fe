"""The works, their holders and licences, and the import of works."""
