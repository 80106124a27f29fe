"""The archive of responses: retention and verification."""
