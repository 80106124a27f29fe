"""Tell programs of cases: signed calls with an outbox."""
