"""The whole library at once: loaded, indexed anew, verified, matched anew."""
