"""What steps and use cases are given: store, indexes, queue, settings, who acts."""
