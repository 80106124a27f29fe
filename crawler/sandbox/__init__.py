"""Read foreign bytes in a child process, bounded in time, memory and output."""
