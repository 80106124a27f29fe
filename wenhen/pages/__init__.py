"""Pages and their captures: extraction, templates, expiry."""
