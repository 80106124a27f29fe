"""What every collection leans on: bodies, steps, marks, problems, migrations, and the whole copied."""
