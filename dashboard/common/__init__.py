"""List, add and remove common texts, on screen and by API."""
