"""Status 0 when an address answers 200: `python -m wenhen.processes.healthcheck URL`, for images without curl."""

import sys
import urllib.request


def main(url: str) -> int:
    """Ask once."""
    try:
        with urllib.request.urlopen(url, timeout=4) as answer:  # noqa: S310  the address stands in the compose file
            return 0 if answer.status == 200 else 1
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
