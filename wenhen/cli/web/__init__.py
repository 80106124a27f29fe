"""Commands about the web: sites, crawls, discoveries, and pages read."""
