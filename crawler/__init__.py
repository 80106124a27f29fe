"""Address -> captured page -> text, on Scrapy.

    process ─→ settings ─→ spiders ─┬→ fetch ────┬→ extract ─→ evidence ─→ crawl
                                    └→ frontier ─┘

Each room imports those to its right alone.
"""
