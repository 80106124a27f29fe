"""Kill every process of an installation at every step and compare what is stored with an undisturbed run."""
