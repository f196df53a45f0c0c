"""A scene: one event, with the ledger as it was before, and the answer that the event's step builds."""

from __future__ import annotations

import os
from functools import cached_property

from bg import durations, machine, repository, settings
from bg.host import drift, transcripts, versions
from bg.host.answer import Answer
from bg.host.event import Event
from bg.ledger import cases, notes, place, projects, sessions, sightings
from bg.ledger.attempts import Attempt
from bg.ledger.file import Ledger, Unavailable
from bg.loop import adopting
from bg.record import Record
from bg.words import launch_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Protocol

    from bg.host.drift import Shape
    from bg.ledger.cases import Case
    from bg.ledger.file import Writing
    from bg.ledger.tasks import Task
    from bg.settings import Settings

    class Desk(Protocol):
        """What the hooks take from the desk: the views for people, and the archive. `bg.desk.views` implements it."""

        def table(self, book: Ledger, project: str, *, everything: bool, launch: str, columns: int = 0) -> str:
            """The tasks of a project; `launch` starts one. Without `columns` it is as wide as a message."""

        def task(self, book: Ledger, label: str) -> str:
            """Everything about one task."""

        def inbox(self, book: Ledger, project: str) -> str:
            """The items that wait for the user in a project."""

        def answers(self, case: Case, command: str) -> str:
            """The open items of one task, and the answers to the others."""

        def doctor(self, host: versions.Host) -> str:
            """The problems of this installation."""

        def named(self, book: Ledger, host: versions.Host, typed: str) -> str:
            """The view named behind `/bg-status`, other than the table or a task; empty if none is named."""

        def archive(self, book: Ledger, task: Task) -> None:
            """Keep a copy of a task that is about to be forgotten."""


ROOT = os.path.realpath(os.path.join(__file__, *[os.pardir] * 4))


class Late(Record):
    """The times of an event from the spool: when it came, and when a later hook began to take the spool in."""

    at: float
    began: float


class Scene:
    """The argument of every handler; `late` is set for an event from the spool."""

    def __init__(
        self,
        event: Event,
        book: Ledger,
        answer: Optional[Answer] = None,
        *,
        desk: Desk,
        late: Optional[Late] = None,
        attempt: Optional[Attempt] = None,
    ) -> None:
        self.event = event
        self.book = book
        self.answer = answer or Answer()
        self.desk = desk
        self.surfaced: list[int] = []
        self.examined: dict[str, dict[str, Any]] = {}
        self.wakes: dict[str, bool] = {}  # by agent: whether it can be woken
        self.late = late
        # Set once the user has confirmed earlier words by their code: the items that those words were typed for.
        self.confirmed: Optional[frozenset[int]] = None
        self.shown_by = ""  # the class of this event's words, where it is known before any record of the host's
        self.attempt = attempt or Attempt()
        self.form: list[str] = []  # words on the form of this event that only the loop can tell
        self.noticed: list[Shape] = []  # the shapes of other events that this one reveals
        self.is_counted = late is not None
        self.session = event.session
        self.docket = cases.docket(book, event.session)
        self._settings: dict[str, Settings] = {}

    @property
    def project(self) -> str:
        """The project that the session works in."""
        known = self.docket.row
        return (known.project if known else "") or self.project_here()

    def project_here(self) -> str:
        """The project that this event came from; the environment names it, unless the event waited for a later hook."""
        return (os.environ.get("CLAUDE_PROJECT_DIR") if self.late is None else "") or self.event.cwd

    @cached_property
    def host(self) -> versions.Host:
        """The abilities of the host; the version of an older one is unknown until a transcript tells it."""
        version = self._version()
        found = versions.host_of(versions.version_of(version))
        shown = notes.can_continue_agents(self.book, self.session, version) if version else None
        return found if shown is None else found._replace(resumes_by_message=shown)

    def learn_way(self, *, continues: bool) -> None:
        """Note whether this session can continue an agent, as the host has just shown, if that was not known before."""
        if self.host.version is None or continues == self.host.resumes_by_message:
            return
        version = self._version()
        as_usual = versions.host_of(self.host.version).resumes_by_message
        with self.book.transaction() as writing:
            notes.set_continues(writing, self.session, version, shown=continues if continues != as_usual else None)
        self.host = self.host._replace(resumes_by_message=continues)

    def _version(self) -> str:
        return versions.running(self.event.transcript, live=self.late is None)

    @property
    def launch_command(self) -> str:
        """How the user types our launch command here."""
        return launch_command.spelled(self.host)

    @property
    def settings(self) -> Settings:
        """The user's settings for this project, read once an event."""
        project = self.project
        if project not in self._settings:
            self._settings[project] = settings.load(project)
        return self._settings[project]

    @property
    def answer_command(self) -> str:
        """How the user types our answer command; the bare form works on every host."""
        return "/bg-answer"

    def enter(self) -> None:
        """Note the session, its process and its project in the ledger: it has something of ours."""
        version = self._version()
        project = self.project_here()
        process = machine.host() or machine.Process(0, "")
        with self.book.transaction() as writing:
            is_ours = self.late is None and self._may_have(process)
            root = projects.root_of(project)
            sessions.note(writing, self.session, project, self._transcript_to_note(), version, root)
            mark = repository.mark(root)
            if mark and notes.root_mark(self.book, root) != mark:
                notes.set_root_mark(writing, root, mark)
            if is_ours:
                sessions.note_process(writing, self.session, process.pid, process.started, machine.here())
            name = notes.give_name(writing)
        place.mark(self.book.place, self.session, name)

    def _may_have(self, process: machine.Process) -> bool:
        """Whether to note this process as the session's: while the noted one lives, only SessionStart may name another.

        A hook that an agent calls by hand runs below the noted process, and does not count.
        """
        known = self.docket.row
        if known is None or not known.pid or known.machine not in ("", machine.here()):
            return True
        noted = machine.Process(known.pid, known.pid_started or "")
        if noted == process or not machine.alive(noted):
            return True
        return self.event.name == "SessionStart" and noted not in machine.above()

    def _transcript_to_note(self) -> str:
        """The transcript to note, empty if the noted one still holds: only SessionStart is trusted to name another.

        2.1.328 moves the transcript when the session goes into a worktree.
        """
        known, config = self.docket.transcript, place.config_directory()
        stands = transcripts.is_kept(known) and transcripts.is_in_place(known, self.session, config)
        if stands and (self.late is not None or self.event.name != "SessionStart"):
            return ""
        is_own = transcripts.is_in_place(self.event.transcript, self.session, config)
        return self.event.transcript if is_own or not (stands or self.late is not None) else ""

    def count(self, writing: Writing) -> None:
        """Count the shape of this event, and those of other events that it reveals, once an event."""
        if not self.is_counted:
            known = self.docket.row
            version = versions.announced_version() or (known.version if known else "") or self._version()
            for shape in [drift.shape_of(self.event, *self.form), *self.noticed]:
                sightings.note(writing, version, *shape)
            self.is_counted = True

    def see(self) -> None:
        """Find out whether earlier reminders have arrived; those that have not are due again."""
        if self.late is None and self.docket.printed:
            from bg.loop import receiving  # noqa: PLC0415 - late: it imports this module

            receiving.settle(self)

    def apart(self, what: str, do: Callable[..., Any], *given: Any) -> Any:
        """Do one of several things, outside a transaction. If it fails, that is noted, and the others are still done.

        A thing during which two hooks have died is skipped. If it fails or is skipped, the result is None.
        """
        with self.attempt.step(what) as goes_on:
            try:
                return do(*given) if goes_on else None
            except Unavailable:
                raise
            except Exception:  # noqa: BLE001 - whatever is wrong with this one
                # Late: nearly nothing fails.
                import traceback  # noqa: PLC0415

                # A failure at every prompt is noted once a day: people are shown the errors of the last day.
                if not notes.has_error_since(self.book, what, self.book.now() - durations.DAY):
                    notes.trace(self.book, what, traceback.format_exc())
        return None

    def bgctl(self, arguments: str) -> str:
        """A `bgctl` command with these arguments, to be copied into a shell."""
        import shlex  # noqa: PLC0415 - late: few events tell of it

        return f"`{shlex.quote(os.path.join(ROOT, 'scripts', 'bgctl'))} {arguments}`"

    def full(self) -> str:
        """The reason why no further agent may be launched in this project now; empty if one may."""
        return adopting.room(self.book, self.project, self.settings.max_tasks)
