"""What keeps an installation well: its health, what failed and is tried again, what is made again from the store.

Not here: backups and archives (`services.backups`, `services.verify_archive`).
"""
