"""Detect font obfuscation: pages whose font shows other characters than their markup holds."""

PLAUSIBILITY_SAMPLE = 3_000  # characters of a text that are judged
MIN_CHARACTER_PAIRS = 100  # adjacent Han characters in it; fewer are no evidence
