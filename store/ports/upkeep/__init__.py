"""What every record leans on: bodies, steps, marks, problems, and the whole store copied."""
