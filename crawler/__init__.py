"""Scrapy: address -> captured page -> text."""
