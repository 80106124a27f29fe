"""Address -> captured page -> text, on Scrapy.

    process ─→ scrapy_settings ─→ spiders ─┬→ fetch ────┬→ extract ─→ archives ─→ evidence ─→ crawl ─→ isolated
                                           └→ frontier ─┘

Each room imports those to its right alone. Not here: what becomes of a text (`pipeline`).
"""
