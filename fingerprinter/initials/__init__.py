"""Turn characters into the initial letters of their pinyin."""
