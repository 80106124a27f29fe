"""What is taken away: the reports that can be downloaded."""
