"""The product in Python, without servers: `import wenhen` gives what stands here to notebooks and scripts."""
