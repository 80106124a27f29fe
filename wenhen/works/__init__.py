"""The library of works: their versions, import and metadata."""
