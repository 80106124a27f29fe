"""Strange bytes, very many, through everything that reads what foreigners wrote; no tests of what comes of it."""
