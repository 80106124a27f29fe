"""What is wrong with an installation, and what to do about it: the likeliest faults, each looked for by itself."""
