"""Who runs a site and how to reach them, as its pages say: a rule over text, and its reading of a page."""
