"""Files -> drafts of works: .txt .md .html .jsonl .csv .epub, folders and .zip of these."""
