"""What a page says, from bytes or a response that is given: text, title, author, time, chapters, links.

Not here: fetching, and what several pages have in common beyond the lines of their host's template.
"""
