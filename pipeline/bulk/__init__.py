"""The inner part of a bulk job: a library as files, archived pages read, those of a host looked at as the queues do.

What runs it on many machines, and where its files lie, stands in `wenhen.bulk`.
"""
