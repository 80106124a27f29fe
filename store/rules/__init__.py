"""Rules of the domain, pure: what leads from what is stored to what follows from it."""
