"""The API's notices: what is written to those who run sites, and those whom it goes to."""
