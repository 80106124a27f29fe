"""Which initial a character has: made from pypinyin's and jieba's data at build time."""
