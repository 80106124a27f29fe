"""What every screen stands on: layout, rights, language, forms, security headers."""
