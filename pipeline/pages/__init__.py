"""What a page is besides its own text: part of a chapter, on a template, mirrored, vanished, expired."""
