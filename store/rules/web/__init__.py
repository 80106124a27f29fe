"""Rules of the web: captures of a page and when the next one is due, mirrors, addresses, what of an access is shown."""
