"""Serve the screens of operators and the API of programs with Flask.

Each folder holds one matter: its views, API, forms, templates and words. Screens and API call the use cases of
`wenhen`. They decide nothing themselves.
"""
