"""Rules of the domain, pure: what leads from what is stored to what follows from it.

By matter in rooms named as those of the records; on top what several of them need: days, ids, rights, pauses.
"""
