"""The small protocols behind which the servers stand.

Every method may raise `store.errors.Unavailable`; those that take an id raise `NotFound` where they say so. A write
returns when it is journaled and acknowledged by the majority.
"""

from store.ports.cases.cases import Cases
from store.ports.cases.comments import Comments
from store.ports.cases.exclusions import Exclusions
from store.ports.cases.exhibits import Exhibits
from store.ports.cases.figures import Figures
from store.ports.cases.filters import Filters
from store.ports.cases.kept_reports import KeptReports
from store.ports.cases.notices import Notices, Platforms
from store.ports.cases.replies import Replies
from store.ports.cases.triage_rules import TriageRules
from store.ports.library.clusters import Clusters
from store.ports.library.fingerprints import Fingerprints
from store.ports.library.holders import Holders
from store.ports.library.licences import Licences
from store.ports.library.matches import Matches
from store.ports.library.works import Works
from store.ports.people.alerts import Alerts
from store.ports.people.audit import Audit
from store.ports.people.preferences import KeptPreferences
from store.ports.people.sessions import Sessions
from store.ports.people.sign_in_guesses import Guesses
from store.ports.people.tokens import Tokens
from store.ports.people.users import Users
from store.ports.people.webhooks import Webhooks
from store.ports.store import Store
from store.ports.upkeep.blobs import Blobs
from store.ports.upkeep.copying import Copying
from store.ports.upkeep.marks import Marks
from store.ports.upkeep.problems import Problems
from store.ports.upkeep.stamps import Stamps
from store.ports.upkeep.steps import ChangedText, Claim, Steps, T
from store.ports.web.accesses import Accesses
from store.ports.web.captures import Captures
from store.ports.web.discoveries import Discoveries
from store.ports.web.mirrors import Mirrors
from store.ports.web.pages import Pages
from store.ports.web.picture_texts import PictureTexts
from store.ports.web.registrations import Registrations
from store.ports.web.runs import Runs
from store.ports.web.sites import Sites
from store.ports.web.templates import Templates
from store.ports.web.text_tallies import TextTallies

__all__ = [
    "Accesses",
    "Alerts",
    "Audit",
    "Blobs",
    "Captures",
    "Cases",
    "ChangedText",
    "Claim",
    "Clusters",
    "Comments",
    "Copying",
    "Discoveries",
    "Exclusions",
    "Exhibits",
    "Figures",
    "Filters",
    "Fingerprints",
    "Guesses",
    "Holders",
    "KeptPreferences",
    "KeptReports",
    "Licences",
    "Marks",
    "Matches",
    "Mirrors",
    "Notices",
    "Pages",
    "PictureTexts",
    "Platforms",
    "Problems",
    "Registrations",
    "Replies",
    "Runs",
    "Sessions",
    "Sites",
    "Stamps",
    "Steps",
    "Store",
    "T",
    "Templates",
    "TextTallies",
    "Tokens",
    "TriageRules",
    "Users",
    "Webhooks",
    "Works",
]
