"""Analysis of cases over time: figures, trends, who copies whom."""
