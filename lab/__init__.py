"""Programs that use the product as a caller would: benchmarks, the comparison of fingerprints, the demo, suites.

Not here: anything that production needs.
"""
