"""Programs that are told of cases, on screen and by API."""
