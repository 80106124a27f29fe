"""Webhooks: signed calls about case changes, with an outbox."""
