"""The web in MongoDB: sites, pages, captures and the crawls that fetch them."""
