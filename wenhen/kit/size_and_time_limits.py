"""Set the limits of size, time and memory of everything that comes from outside: pages, files, uploads, answers.

Whoever reads foreign bytes takes the limit from here. `crawler.sandbox` enforces the bounds of readings in a child
process. Limits that users set stand in `wenhen.settings` (`crawler.max_body_mb`, `crawler.timeout`).
"""

from typing import Final, NamedTuple

MEBIBYTE: Final = 1 << 20

# Readings in a child process.


class ReadingBounds(NamedTuple):  # every question carries it, and a named tuple pickles fastest
    """The bounds of one reading.

    seconds: of processor time. memory: mebibytes beyond the child's own. output: mebibytes of one result. patience:
    seconds without a result after which the child counts as hung. None allows for a busy machine.
    """

    seconds: float
    memory: int
    output: int
    patience: float | None = None

    @property
    def silence(self) -> float:
        """Return the seconds to wait for a result."""
        return 60 + 10 * self.seconds if self.patience is None else self.patience


# The largest and worst of real pages take a second and 300 MB. Books of a thousand pages take several seconds.
PAGE_BOUNDS: Final = ReadingBounds(seconds=30, memory=1_500, output=128)
FILE_BOUNDS: Final = ReadingBounds(seconds=180, memory=1_500, output=128)  # pictures take a second or two each
PICTURE_BOUNDS: Final = ReadingBounds(seconds=180, memory=2_000, output=16)  # a chapter in one takes half a minute
SCAN_BOUNDS: Final = ReadingBounds(seconds=1_800, memory=2_000, output=16)  # of all pages together
FRAME_BOUNDS: Final = ReadingBounds(seconds=20, memory=1_500, output=64)  # a frame drawn around a passage of a picture
SUMMARY_BOUNDS: Final = ReadingBounds(seconds=10, memory=1_000, output=64)  # links and signs of a page during a crawl
ROBOTS_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=8)
ARCHIVE_BOUNDS: Final = ReadingBounds(seconds=60, memory=1_500, output=128)  # a piece of a web archive
MAIL_BOUNDS: Final = ReadingBounds(seconds=10, memory=800, output=2)
EXHIBIT_BOUNDS: Final = ReadingBounds(seconds=120, memory=4_000, output=4)  # verification of a file of evidence
WORD_TEMPLATE_BOUNDS: Final = ReadingBounds(seconds=20, memory=600, output=40)
TYPESETTING_BOUNDS: Final = ReadingBounds(seconds=120, memory=4_000, output=200)  # memory counts mapped fonts too
# With requests to other servers:
TIME_STAMP_BOUNDS: Final = ReadingBounds(seconds=10, memory=300, output=1, patience=60)
PDF_TIME_STAMP_BOUNDS: Final = ReadingBounds(seconds=20, memory=1_000, output=200, patience=60)
REGISTRATION_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=4, patience=90)  # RDAP
WEBHOOK_BOUNDS: Final = ReadingBounds(seconds=5, memory=300, output=1, patience=20)
CHAT_BOUNDS: Final = ReadingBounds(seconds=20, memory=600, output=1, patience=60)  # notifications to chat and others


def import_bounds(size: int) -> ReadingBounds:
    """Return the bounds of the reading of an imported file of this many bytes."""
    return ReadingBounds(seconds=20.0 + 2.0 * size / MEBIBYTE, memory=3_000, output=1_000)


# Files, and what archives unpack to.

MAX_FILE_BYTES: Final = 256 * MEBIBYTE
MAX_COMPRESSION_RATIO: Final = 200  # text deflates to a third; only a bomb exceeds this ratio
MAX_ARCHIVE_FILES: Final = 20_000
FREE_UNPACKED_BYTES: Final = 64 * MEBIBYTE  # allowance for any archive; each one adds so many times its own size:
MAX_TOTAL_RATIO: Final = 20
MAX_EXHIBIT_MB: Final = 512
MAX_MAIL_MB: Final = 30  # of a larger mail only the head is fetched

# Uploads.

MAX_IMPORT_MB: Final = 64  # larger files need the command line
MAX_UPLOAD_MB: Final = 16  # a file that is stored unchanged
MAX_STORED_MB: Final = MAX_UPLOAD_MB + 1  # with the form around it
MAX_CHECK_MB: Final = 8  # a file that is read and not stored
MAX_TEMPLATE_MB: Final = 4  # a template of Word

# Bodies of responses.

MAX_PAGE_BYTES: Final = 2 * MEBIBYTE  # a longer page is a text or a trap, and parsing it would hold up all others
MAX_ARCHIVED_BYTES: Final = 32 * MEBIBYTE  # a page in a web archive
MAX_ASSET_BYTES: Final = 8 * MEBIBYTE  # a picture or font of a page
MAX_STYLE_BYTES: Final = 256 << 10  # a style sheet of a page
MAX_ROBOTS_BYTES: Final = 512 << 10  # RFC 9309, 2.5, asks for at least 500 KiB
MAX_RDAP_BYTES: Final = 2 * MEBIBYTE  # the bootstrap file has about 60,000 bytes
MAX_STAMP_BYTES: Final = 60_000  # a time stamp; authorities send about 6,000 bytes
