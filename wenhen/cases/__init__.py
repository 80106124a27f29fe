"""Cases of suspected infringement: storage, queries, decisions and history."""
