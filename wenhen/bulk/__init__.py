"""Compare whole archives with a frozen library, on many processes or machines."""
