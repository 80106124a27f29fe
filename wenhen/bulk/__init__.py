"""Bulk jobs: where their files lie, what runs them on many processes and machines, and how they go on where they were.

What is done with a page belongs in `pipeline.bulk`.
"""
