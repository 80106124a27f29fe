"""How long what is looked at again waits, so that changes that come in together cost each page one look."""

from datetime import timedelta
from typing import Final

SETTLED: Final = timedelta(minutes=2)  # since the change
