"""What the cases say over time: figures, trends, who copies whom."""
