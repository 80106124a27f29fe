"""The demo's data: works and own texts, and a little web that copies some of them."""
