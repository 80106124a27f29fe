"""All commands, in the order in which a newcomer meets them: where each stands and what it is for.

The overview is written from here, so that `wenhen --help` imports none of them.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Place(NamedTuple):
    """Where a command is defined, and its line of the overview."""

    module: str
    attribute: str
    purpose: str


COMMANDS: Final[Mapping[str, Place]] = {
    "up": Place("wenhen.cli.upkeep.up", "up", "Run everything on this machine until Ctrl-C."),
    "demo": Place("lab.cli.demo", "demo", "The whole chain on sample texts, from the crawl to the report."),
    "works": Place("wenhen.cli.library.works", "works", "The works whose copies are to be found (母体)."),
    "sites": Place("wenhen.cli.web.sites", "sites", "The websites that are watched."),
    "holders": Place("wenhen.cli.library.holders", "holders", "Rights holders and their own sites."),
    "licences": Place("wenhen.cli.library.licences", "licences", "Authorised reprints."),
    "discover": Place("wenhen.cli.web.discover", "discover", "Ask a search engine for the sentences of a work."),
    "discovered": Place("wenhen.cli.web.discover", "discovered", "The addresses found that way, to be reviewed."),
    "crawl": Place("wenhen.cli.web.crawl", "crawl", "Crawl a watched site, or an address, and match what it holds."),
    "capture": Place("wenhen.cli.web.capture", "capture", "Captures that somebody brings from an app."),
    "runs": Place("wenhen.cli.web.runs", "runs", "Crawls and other runs."),
    "pages": Place("wenhen.cli.web.pages", "pages", "The crawled pages, and which works came near each."),
    "search": Place("wenhen.cli.library.search", "search", "Look for words, or a phrase, in everything."),
    "scan": Place("wenhen.cli.library.scan", "scan", "Say which works a text is copied from, passage by passage."),
    "bulk": Place("wenhen.cli.library.bulk", "bulk", "Whole archives against the library, on many machines."),
    "original": Place("wenhen.cli.library.original", "original", "Say whether submissions are original."),
    "fingerprint": Place("wenhen.cli.library.fingerprint", "fingerprint", "Show the fingerprints of texts."),
    "extract": Place("wenhen.cli.web.extract", "extract", "Print the main text of pages as JSON lines."),
    "detect": Place("lab.cli.detect", "detect", "Look the texts of an evaluation suite up among its works."),
    "compare": Place("lab.cli.compare", "compare", "Compare all fingerprint schemes on your own texts."),
    "group": Place("lab.cli.group", "group", "Group texts that share one of their longest sentences (nshash)."),
    "idf": Place("lab.cli.idf", "idf", "Weights of words for the schemes that weigh words."),
    "segment": Place("lab.cli.segment", "segment", "Print the words of texts as JSON lines."),
    "cases": Place("wenhen.cli.cases.cases", "cases", "The suspected piracy."),
    "rules": Place("wenhen.cli.cases.triage_rules", "rules", "What is done with new leads by itself."),
    "clusters": Place("wenhen.cli.library.clusters", "clusters", "Near-duplicate works and pages."),
    "report": Place(
        "wenhen.cli.cases.report", "report", "The infringement report, as .pdf, .xlsx, .csv, .json or .html."
    ),
    "notices": Place("wenhen.cli.cases.notices", "notices", "Notices to those who run sites."),
    "reports": Place("wenhen.cli.cases.kept_reports", "reports", "Reports made in the background, and kept."),
    "evidence": Place("wenhen.cli.cases.evidence", "evidence", "Cases as files that prove them (WACZ)."),
    "audit": Place("wenhen.cli.upkeep.audit", "audit", "The log of who did what."),
    "users": Place("wenhen.cli.people.users", "users", "The people who may sign in to the dashboard."),
    "alerts": Place("wenhen.cli.people.alerts", "alerts", "What people are told of: bell, mail and chat."),
    "webhooks": Place("wenhen.cli.people.webhooks", "webhooks", "The addresses that are told of new cases."),
    "tokens": Place("wenhen.cli.people.tokens", "tokens", "The tokens with which programs use the API."),
    "api": Place("wenhen.cli.upkeep.api", "api", "The description of the API, and a Python client of it."),
    "calibration": Place("wenhen.cli.cases.calibration", "calibration_", "The thresholds and their false-alarm rates."),
    "archive": Place("wenhen.cli.upkeep.archive", "archive", "The WARC files that crawls leave."),
    "rematch": Place("wenhen.cli.library.rematch", "rematch", "The library matched anew."),
    "index": Place("wenhen.cli.library.index", "index", "The inverted indexes over works and pages."),
    "problems": Place("wenhen.cli.upkeep.problems", "problems", "What was refused or set aside, by kind."),
    "backup": Place("wenhen.cli.upkeep.backup", "backup", "Write everything that cannot be made again into a folder."),
    "restore": Place("wenhen.cli.upkeep.backup", "restore", "Put a backup back, compare it, build the indexes."),
    "down": Place("wenhen.cli.upkeep.down", "down", "End the servers that commands left running."),
    "doctor": Place("wenhen.cli.upkeep.doctor", "doctor", "Say what runs, what waits, what is wrong and what to do."),
    "completion": Place("wenhen.cli.shared.completion", "completion", "Let Tab complete commands and options."),
    "bench": Place("lab.cli.bench", "bench", "Speed and size against peers, in the same run."),
}
