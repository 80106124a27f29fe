"""Rank the candidates of a text by the features that they share."""
