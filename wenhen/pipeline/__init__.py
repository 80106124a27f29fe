"""The steps of works and pages, as Celery tasks, and their schedule."""
