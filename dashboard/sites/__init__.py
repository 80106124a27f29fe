"""Manage watched sites: settings, access, dossier, trial crawl."""
