"""The bell, and the rules of each person."""
