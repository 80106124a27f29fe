"""Read works from files: plain text, tables, documents, saved pages."""
