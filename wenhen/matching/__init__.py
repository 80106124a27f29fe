"""Match texts with the library and the stored pages, and open cases."""
