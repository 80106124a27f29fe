"""What is left out of cases, on screen and by API."""
