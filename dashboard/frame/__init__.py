"""What every screen stands on: context, rights, language, paging, uploads, and the words of errors.

Not here: any one screen.
"""
