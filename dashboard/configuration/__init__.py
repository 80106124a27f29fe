"""The screen of the settings, for administrators."""
