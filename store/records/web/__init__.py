"""Records of the web: sites, pages, mirrors, runs and what was discovered."""
