"""Mark copies of a text by choices that a reader does not see, and trace a pirate's text to its copy. Pure."""
