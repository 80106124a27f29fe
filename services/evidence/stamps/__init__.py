"""Time stamps by authorities (RFC 3161): asked for, verified, and asked for again until one is given.

Not here: what is stamped (`services.evidence.package`, `services.verify_audit_log`).
"""
