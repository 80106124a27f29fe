"""Flask: the screens of operators and the API of programs.

A folder a matter holds views, API, forms, templates and words. Screens and API call the use cases of `wenhen`;
nothing is decided here.
"""
