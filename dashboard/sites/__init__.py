"""The watched sites, their runs, how they are reached, and the review list of discoveries."""
