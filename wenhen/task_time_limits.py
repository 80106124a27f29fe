"""How long a task of each kind may take: the process that is still at it then is killed, and another takes it up."""

from typing import Final

LONGEST_TASK_SECONDS: Final = 12 * 3600
# A step that takes longer has met what it cannot do: its process is killed, and after some tries the record set aside.
LONGEST_STEP_SECONDS: Final = 15 * 60
LONGEST_BATCH_SECONDS: Final = 3600
LONGEST_DELIVERY_SECONDS: Final = 300
LONGEST_EVIDENCE_SECONDS: Final = 3600
