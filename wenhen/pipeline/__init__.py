"""The way of works and pages through their steps, as Celery tasks."""
