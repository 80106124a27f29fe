"""Rights holders, and the documents that show their rights."""
