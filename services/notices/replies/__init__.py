"""What comes back by mail: fetched, read, assigned to its notice, said what it amounts to.

Not here: what a person keeps of an answer that came on another way (`services.notices.sent_and_answered`).
"""
