"""What people and rules made of matches: cases, comments, exclusions, filters, rules of triage; figures over them."""
