"""What people keep in order to get through the queue: filters under a name, rules that act by themselves."""
