"""Who is told of cases: the registry, and the outbox that sends until it is taken."""
