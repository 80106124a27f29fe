"""Watched sites: settings, access, dossier, trial crawl."""
