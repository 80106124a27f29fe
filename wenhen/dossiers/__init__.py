"""What is known of one site: who runs it, and what it copied."""
