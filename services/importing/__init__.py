"""Files -> drafts of works: .txt .md .html .jsonl .csv .xlsx .pdf .docx .doc .rtf .epub .mobi, folders and .zip."""
