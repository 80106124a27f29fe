"""What people and rules made of matches: cases, comments, exclusions, notices, exhibits, filters, rules; figures."""
