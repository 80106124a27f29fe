"""What the steps of works and pages share: fingerprints, look-ups, clusters, probabilities, licences."""
