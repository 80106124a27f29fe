"""Files -> drafts of works: .txt .md .html .jsonl .csv .pdf .docx .doc .rtf .epub .mobi, folders and .zip of these."""
