"""What is known of the web: sites, pages, captures and the crawls that fetch them."""
