"""The API's cases: decided on, in clusters, left out, proved; the filters and rules that people keep for the queue."""
