"""Programs that run one peer tool each. They are started by path, in an environment that has the tool.

Called as `PROGRAM DOCUMENTS ANSWER FOLDER`. DOCUMENTS: JSON lines of {id, text}, ids counted from 0. ANSWER, which it
writes: {"groups": lists of ids that are alike, "kept": bytes that stay to compare the next document with}. FOLDER: its
own, and empty.
"""
