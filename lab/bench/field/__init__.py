"""The field's own tools on the same documents as ours: what each finds, how fast, and in how many bytes."""
