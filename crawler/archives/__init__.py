"""Archives that others made, read to the pages they hold: a window of bytes at a time, in the bounded child.

Where their bytes come from, and who asks for which window, is no matter of it.
"""
