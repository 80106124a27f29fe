"""What is kept: the records, the ports to the stores, and MongoDB behind them."""
