"""One function a use case, called by the command, the screens and the API alike.

Not here: HTTP, Celery, Redis, Scrapy and MongoDB; rules of the domain (`store.rules`).
"""
