"""A mongod and a redis-server of our own, on unix sockets."""
