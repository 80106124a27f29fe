"""Records of works: versions, fingerprints, holders, licences, clusters."""
