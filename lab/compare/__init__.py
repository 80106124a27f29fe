"""`wenhen compare`: which fingerprint serves these texts?"""
