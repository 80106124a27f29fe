"""Texts cut into words, cleaned and weighed, for the schemes that take words."""
