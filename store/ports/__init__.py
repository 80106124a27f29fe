"""The small protocols behind which the servers stand.

Every method may raise `store.errors.Unavailable`; those that take an id raise `NotFound` where they say so. A write
returns when it is journaled and acknowledged by the majority.
"""

from store.ports.accesses import Accesses
from store.ports.audit import Audit
from store.ports.blobs import Blobs
from store.ports.captures import Captures
from store.ports.cases import Cases
from store.ports.clusters import Clusters
from store.ports.comments import Comments
from store.ports.copying import Copying
from store.ports.discoveries import Discoveries
from store.ports.exclusions import Exclusions
from store.ports.figures import Figures
from store.ports.filters import Filters
from store.ports.fingerprints import Fingerprints
from store.ports.guesses import Guesses
from store.ports.holders import Holders
from store.ports.licences import Licences
from store.ports.marks import Marks
from store.ports.matches import Matches
from store.ports.mirrors import Mirrors
from store.ports.pages import Pages
from store.ports.problems import Problems
from store.ports.runs import Runs
from store.ports.sessions import Sessions
from store.ports.sites import Sites
from store.ports.steps import Claim, Steps, T
from store.ports.store import Store
from store.ports.templates import Templates
from store.ports.tokens import Tokens
from store.ports.users import Users
from store.ports.webhooks import Webhooks
from store.ports.works import Works

__all__ = [
    "Accesses",
    "Audit",
    "Blobs",
    "Captures",
    "Cases",
    "Claim",
    "Clusters",
    "Comments",
    "Copying",
    "Discoveries",
    "Exclusions",
    "Figures",
    "Filters",
    "Fingerprints",
    "Guesses",
    "Holders",
    "Licences",
    "Marks",
    "Matches",
    "Mirrors",
    "Pages",
    "Problems",
    "Runs",
    "Sessions",
    "Sites",
    "Steps",
    "Store",
    "T",
    "Templates",
    "Tokens",
    "Users",
    "Webhooks",
    "Works",
]
