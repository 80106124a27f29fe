"""What is done at each step of a work's and a page's way; the tasks in `wenhen.pipeline` call these."""
