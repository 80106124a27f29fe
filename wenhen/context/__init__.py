"""The context of steps and use cases: store, indexes, queue, settings, acting user."""
