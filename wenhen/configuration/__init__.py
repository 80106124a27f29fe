"""Settings that an administrator changes on screen. They are stored, and rank below the environment and the file."""
