"""Provide the common base of all screens: layout, rights, language, forms, security headers."""
