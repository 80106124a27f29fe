"""MongoDB for repositories: table, codec, schema, blobs, marks."""
