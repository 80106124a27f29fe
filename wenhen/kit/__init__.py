"""What every package may use: errors, messages, time, ids, storage."""
