"""What is kept, and the rules over it: records, messages and errors, the ports to the stores, MongoDB behind them."""
