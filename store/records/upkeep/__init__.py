"""What other records are made of: owners, steps and progress, problems, space."""
