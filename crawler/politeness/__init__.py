"""Limit how often a host is asked: robots.txt, rate, slots, cooldown."""
