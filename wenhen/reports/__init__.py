"""Infringement reports as PDF, Excel, CSV, JSON, HTML and Word."""
