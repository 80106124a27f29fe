"""The process in which one crawl run fetches: `python -m wenhen.crawl_process RUN_ID`."""


