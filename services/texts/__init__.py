"""Texts that somebody asks about and nothing is stored of; no works and no pages, which stand in rooms of their own."""
