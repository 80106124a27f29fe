"""Help pages: guides in both languages, and the documents of the product."""
