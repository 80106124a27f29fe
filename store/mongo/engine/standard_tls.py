"""Lets pymongo use Python's own TLS, though pyOpenSSL is here for the crawler.

With pyOpenSSL it imports requests, urllib3 and more, to ask for the revocation of certificates (OCSP): a quarter of a
second of the processor for every command, whether its MongoDB speaks TLS or not. To be imported before pymongo is.
"""

import sys

sys.modules.setdefault("pymongo.pyopenssl_context", None)  # type: ignore[arg-type]  # so is a module made missing
