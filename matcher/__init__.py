"""Features -> ranked works -> passages -> verdict. All pure but the Redis behind the index."""
