"""What a crawl imports, for the process that crawls of tests are forked from."""

import re
from importlib import import_module

from scrapy.settings import default_settings

from crawler.run import COMPONENTS
from tests.support.crawls import crawl_runner
from wenhen.runtime.processes import crawl_process

__all__ = ["crawl_process", "crawl_runner"]

# Those that settings name are imported when a crawl begins, also those that are switched off.
_NAMED = re.findall(r"'((?:crawler|scrapy)\.[\w.]+)\.\w+'", repr((COMPONENTS, vars(default_settings))))

for _module in dict.fromkeys(_NAMED):
    import_module(_module)
