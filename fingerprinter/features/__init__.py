"""Letters -> features: hashed units that an index takes, and the plain frequency fingerprint."""
