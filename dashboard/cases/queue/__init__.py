"""The queue of suspects: its filters, rows and columns, the preview beside it, the rules that act by themselves."""
