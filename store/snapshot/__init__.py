"""A library as one file that is never changed, and what a look at pages asks beside it: the store of a bulk job.

What a job does not ask belongs in the database alone; who makes and reads snapshots, in `pipeline.bulk`.
"""
