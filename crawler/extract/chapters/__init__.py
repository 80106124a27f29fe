"""Where a page stands in a book: its number, its neighbours, the list that names it."""
