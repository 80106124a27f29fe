"""Find copies of Chinese works on the web, judge them as cases, and report them.

Two settings take effect here, before pymongo and pydantic are imported.
"""

import os
import sys

# pymongo imports pyOpenSSL, requests and urllib3 where they are installed, to ask for the revocation of certificates
# (OCSP). Scrapy brings them. They cost every command a quarter of a second, so pymongo uses Python's own TLS.
sys.modules.setdefault("pymongo.pyopenssl_context", None)  # type: ignore[arg-type]  # None makes a module missing

# pydantic looks for plugins among all installed packages: a thirtieth of a short command.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
