"""Texts that somebody asks about: whose copy one is, whether it is original, its fingerprints and words.

Of pasted ones nothing is stored. Not here: what people look for by a few words (`services.search`).
"""
