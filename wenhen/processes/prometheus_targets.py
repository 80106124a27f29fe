"""The processes of one machine, each with a port of its own on which it tells Prometheus of itself."""

import shutil
from collections.abc import Sequence
from dataclasses import replace

from store.metrics import FOLDER_VARIABLE
from wenhen.child_environment import METRICS_PORT_VARIABLE, child_environment, python
from wenhen.processes.supervise import Child
from wenhen.wiring import App


def watched(app: App, children: Sequence[Child]) -> list[Child]:
    """The children, and before them the one that tells of the whole, on `metrics.port` and the ports after it; with
    port 0 the children alone.
    """
    if not app.settings.metrics.port:
        return list(children)
    exporter = Child(
        name="metrics",
        argv=python("wenhen.processes.exporter"),
        env=child_environment(app.settings),
        log=app.settings.data / "log" / "metrics.log",
    )
    return [_told(app, child, number) for number, child in enumerate([exporter, *children])]


def _told(app: App, child: Child, number: int) -> Child:
    """What the processes of before counted is over with them: rates begin anew, as Prometheus expects it."""
    folder = app.settings.data / "figures" / child.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = str(app.settings.metrics.port + number)
    return replace(child, env={**child.env, METRICS_PORT_VARIABLE: port, FOLDER_VARIABLE: str(folder)})
