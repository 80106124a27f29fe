"""Operate an installation: health, problems, audit verification."""
