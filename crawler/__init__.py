"""Address → capture → text, on Scrapy.

Rooms in the order of the data: frontier, politeness, fetch, rendering, spiders, warc, extraction. `sandbox` reads
foreign bytes in bounded children. The crawler does not know what a fingerprint is.
"""
