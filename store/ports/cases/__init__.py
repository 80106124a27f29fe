"""What people and rules made of matches: cases, comments, exclusions, kept filters, and figures over them."""
