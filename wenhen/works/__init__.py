"""The library: works, their versions, import, details."""
