"""Everything at once for half an hour: does memory grow, does the dashboard keep answering, do queues run full?"""
