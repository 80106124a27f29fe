"""Extract the posts of a forum thread: author, time, quotations, text."""
