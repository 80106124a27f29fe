"""Rights holders and their documents, on screen and by API."""
