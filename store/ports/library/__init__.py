"""What is known of works: their versions, fingerprints, holders, licences, matches and clusters."""
