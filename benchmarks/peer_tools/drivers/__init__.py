"""One program a tool, started in the environment of that tool."""
