"""Embedded mongod and Redis server, on unix sockets."""
