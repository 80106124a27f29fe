"""Show health, probes, audit log and problems, on screen and by API."""
