"""Give `scrapy shell` and `scrapy list` the crawler's name, pace and limits, and the spiders of the user's own."""

import sys
from typing import Final

from crawler.job import CrawlJob
from crawler.run import shell_settings
from wenhen.crawls.job import spider_folder
from wenhen.runtime.settings_sources import load_settings

_settings = load_settings()
_folder = spider_folder(_settings)
_job = CrawlJob(
    start_urls=("http://localhost/",),
    user_agent=_settings.crawler.user_agent,
    contact=_settings.crawler.contact,
    delay=_settings.crawler.delay,
    obey_robots=_settings.crawler.obey_robots,
)
sys.path.append(str(_folder))
globals().update(shell_settings(_job))

BOT_NAME: Final = "wenhen"
SPIDER_MODULES: Final = sorted(path.stem for path in _folder.glob("[!_]*.py"))
SPIDER_LOADER_WARN_ONLY: Final = True  # a broken one is named, and the others are listed
