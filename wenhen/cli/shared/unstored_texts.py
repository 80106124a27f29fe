"""What commands read that store nothing: files, folders and standard input, one text after the other."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from store.errors import BadInput
from store.messages import Message
from store.records import WorkDraft
from wenhen.cli.shared.output import err


class Texts:
    """The texts of these files and folders (the formats of `works import`), and of standard input for ``-``.

    What cannot be read is named on stderr and counted, and the rest goes on.
    """

    def __init__(self, what: Sequence[str]) -> None:
        self._what = what
        self.unreadable = 0

    def __iter__(self) -> Iterator[WorkDraft]:
        from services.importing.drafts_and_refusals import Refused
        from services.importing.read_paths import read_paths

        if "-" in self._what:
            yield from self._standard_input()
        for found in read_paths([Path(one) for one in self._what if one != "-"]):
            if isinstance(found, Refused):
                self._refuse(found.what, found.reason)
            else:
                yield found

    def _standard_input(self) -> Iterator[WorkDraft]:
        from services.importing.read_paths import text_from

        try:
            yield WorkDraft(id="-", title="-", text=text_from(sys.stdin.buffer), origin="-")
        except BadInput as error:
            self._refuse("-", error.message)

    def _refuse(self, what: str, reason: Message) -> None:
        err().print(f"{what}: {reason}", style="red")
        self.unreadable += 1
