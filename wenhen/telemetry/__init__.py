"""What can be seen of the processes from outside: metrics, logs, traces. What they tell of is decided elsewhere."""
