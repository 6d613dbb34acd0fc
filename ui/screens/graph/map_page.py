"""The map with what it needs of the engine: what was kept at once, a fresh one behind, and names as somebody comes near.

Source: UX 4.5 "the map is a button"; issue 18 "first useful picture".
"""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.values.graph import GraphNode, NodeId
from app.values.graph_map import GraphMap
from ui.bridge import EngineBridge, Job, JobDone
from ui.screens.graph.map_canvas import MapCanvas
from ui.widgets.labels import PlainLabel

_JOB = "graph.map"
_WAITING = "Grouping what belongs together…"
_NOTHING = "Nothing is linked here yet."


class MapPage(QStackedWidget):
    """`arrived`: another map is shown · `named`: names of its things have come."""

    arrived = Signal()
    named = Signal()

    def __init__(self, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._project = ""
        self.canvas = MapCanvas()
        self.canvas.names_wanted.connect(self._on_names_wanted)
        self.waiting = PlainLabel(_WAITING, "meta")
        self.waiting.setObjectName("graph.map.waiting")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.addWidget(self.canvas)
        self.addWidget(self.waiting)
        bridge.finished.connect(self._on_finished)

    def open(self, project: str) -> None:
        """What was kept, then a fresh one where that is worth it."""
        if project != self._project:
            self.canvas.map = None
        self._project = project
        self._bridge.ask("graph.map", lambda engine: engine.graph.map(project), self._on_map)

    @property
    def is_grouping(self) -> bool:
        """Whether the first map is still being made."""
        return self.canvas.map is None and self.currentWidget() is self.waiting and self.waiting.text() == _WAITING

    def arrange(self) -> None:
        """Laid out from the beginning."""
        self._make(is_from_scratch=True)

    def _on_map(self, made: GraphMap | None) -> None:
        if made is not None:
            self._show(made)
        elif self.canvas.map is None:
            self.waiting.setText(_WAITING)
            self.setCurrentWidget(self.waiting)
        if made is None or not made.is_fresh:
            self._make()

    def _make(self, *, is_from_scratch: bool = False) -> None:
        project = self._project

        def work(job: Job) -> tuple[str, GraphMap | None]:
            graph = job.engine.graph
            make = graph.arrange_map if is_from_scratch else graph.make_map
            return project, make(project, is_cancelled=job.cancel.is_set)

        self._bridge.start(_JOB, work)

    def _on_finished(self, done: JobDone) -> None:
        if done.job_id != _JOB:
            return
        answer: tuple[str, GraphMap | None] = done.value  # type: ignore[assignment]  # a signal carries objects
        project, made = answer
        if project == self._project and made is not None:
            self._show(made)
        elif project != self._project:
            self._make()

    def _show(self, made: GraphMap) -> None:
        if made.count:
            self.canvas.set_map(made)
            self.setCurrentWidget(self.canvas)
        else:
            self.waiting.setText(_NOTHING)
            self.setCurrentWidget(self.waiting)
        self.arrived.emit()

    def _on_names_wanted(self, nodes: tuple[NodeId, ...]) -> None:
        self._bridge.ask("graph.map.names", lambda engine: engine.graph.cards(nodes), self._on_names)

    def _on_names(self, names: Mapping[NodeId, GraphNode]) -> None:
        self.canvas.set_names(names)
        self.named.emit()
