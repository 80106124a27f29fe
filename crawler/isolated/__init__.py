"""Foreign bytes (pages, uploads, lists of addresses) are read in a child process, bounded in time, memory and output.

What they mean does not belong in it.
"""
