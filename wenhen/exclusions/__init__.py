"""What people leave out of cases: passages, sources, text that is everybody's."""
