"""A mongod and a valkey-server (or redis-server) of our own, on unix sockets in a data folder."""

from wenhen.embedded.servers import Addresses, ServerInfo, running, start_servers, stop_servers
from wenhen.embedded.throwaway_servers import throwaway_servers

__all__ = ["Addresses", "ServerInfo", "running", "start_servers", "stop_servers", "throwaway_servers"]
