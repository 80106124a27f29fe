"""The way of captured pages to their cases, timed: by the production queues, step by step, and with no database."""
