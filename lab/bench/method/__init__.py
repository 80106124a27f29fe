"""What each part of the method carries, tried on suites: kinds of features, how much is looked up, windows."""
