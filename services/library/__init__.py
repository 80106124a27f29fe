"""The works as people tend them: what is said of them set right, doubles merged; and who copies which of them."""
