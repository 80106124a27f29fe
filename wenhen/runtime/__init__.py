"""Wire and run the product: settings, servers, processes, monitoring."""
