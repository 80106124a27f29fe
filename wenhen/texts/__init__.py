"""Ask about any text: whose copy is it, which fingerprints, which words."""
