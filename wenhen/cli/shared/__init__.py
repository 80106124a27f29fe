"""What commands share: opening the servers, output, files, days."""
