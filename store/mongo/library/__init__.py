"""Works in MongoDB: versions, fingerprints, holders, licences, matches and clusters."""
