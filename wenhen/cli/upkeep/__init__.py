"""Commands that run the product and keep it well."""
