"""The parts of the demonstration that look: what is asked, and how the answer is shown. None of them writes."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import NamedTuple, TypeVar

import msgspec
from rich.markdown import Markdown
from rich.padding import Padding

from pi_lsp.api.compact import Preview, PreviewParams
from pi_lsp.api.context import Context, ContextParams
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.explain import ExplainParams, Explanation
from pi_lsp.api.methods import NoParams
from pi_lsp.api.rules import AllRules, RulesOfMany, RulesParams
from pi_lsp.api.skills import Skills
from pi_lsp.api.tree import TreeParams, TreeResult
from pi_lsp.base.paths import path_to_uri
from pi_lsp.base.wire import Wire
from pi_lsp.cli.demo_choice import Question, folders_with_rules, places_to_hover, questions
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.compact import show_preview
from pi_lsp.cli.show.context import show_context
from pi_lsp.cli.show.explain import show_explanation
from pi_lsp.cli.show.rules import show_rules
from pi_lsp.cli.show.screen import Screen, count
from pi_lsp.cli.show.skills import show_skills
from pi_lsp.cli.show.tree import show_tree
from pi_lsp.cli.stage import Stage
from pi_lsp.lsp.client import Client, ServerError

R = TypeVar("R")

MANY = 100_000
_MOST_HOVERS = 20
_VOCABULARY_S = 0.5

SAMPLE_QUESTIONS = (
    Question(query="parse it by hand"),
    Question(query="shorten every stored departure"),
    Question(query="British English"),
)
"""What the summary dropped, what was left on a branch, and what stands in a rule file that is not loaded."""


class Talk:
    """The client, and where its answers are shown."""

    def __init__(self, client: Client, screen: Screen, stage: Stage) -> None:
        self.client = client
        self.screen = screen
        self.stage = stage
        self.is_model_silent = False
        """A model was asked and gave no answer."""

    async def settle(self) -> None:
        """Wait until the session is open and the vocabulary is there: then all parts count alike."""
        await self.client.ask("pi/state", NoParams())
        await asyncio.sleep(_VOCABULARY_S)

    async def ask(self, method: str, params: Wire, kind: type[R]) -> R:
        """The typed result of a pi/ method. Raises RefusedError and ServerError."""
        result = await self.client.ask(method, params)
        try:
            return msgspec.convert(result, kind)
        except msgspec.ValidationError as error:
            raise ServerError(f"{method}: the answer does not fit the protocol: {error}") from None


class Part(NamedTuple):
    """One part: its title, what it shows and why that matters, and how it is played."""

    title: str
    why: str
    play: Callable[[Talk], Awaitable[None]]


async def _hover(talk: Talk) -> None:
    files = (await talk.ask("pi/rules/all", NoParams(), AllRules)).files
    skills = (await talk.ask("pi/skills", NoParams(), Skills)).skills
    uris = [*(file.uri for file in files), *(skill.uri for skill in skills)]
    places = list(islice(places_to_hover(uris, talk.stage.workspace), _MOST_HOVERS))
    for place in places:
        text = await talk.client.hover(place.file, place.line, place.character)
        if text is not None:
            talk.screen.heading(f"{talk.screen.path(place.file)}, line {place.line + 1}", f"on “{place.text}”")
            talk.screen.console.print(Padding(Markdown(clean(text)), (0, 0, 0, 2)))
            return
    if places:
        raise ServerError(f"no hover in {talk.screen.path(places[0].file)}")
    talk.screen.note("There is no rule file and no skill here yet, so there is nothing to point at.")


async def _rules(talk: Talk) -> None:
    files = (await talk.ask("pi/rules/all", NoParams(), AllRules)).files
    folders = [path_to_uri(talk.stage.workspace), *folders_with_rules(files)][:3]
    answer = await talk.ask("pi/rules", RulesParams(uris=folders), RulesOfMany)
    for index, rules in enumerate(answer.results):
        if index:
            talk.screen.print("")
        show_rules(talk.screen, rules, with_session=index == 0)


async def _skills(talk: Talk) -> None:
    show_skills(talk.screen, await talk.ask("pi/skills", NoParams(), Skills))


async def _tree(talk: Talk) -> None:
    show_tree(talk.screen, await talk.ask("pi/tree", TreeParams(filter="noTools", limit=MANY), TreeResult), limit=40)


async def _context(talk: Talk) -> None:
    show_context(talk.screen, await talk.ask("pi/context", ContextParams(), Context), limit=12)


async def _forgotten(talk: Talk) -> None:
    asked = SAMPLE_QUESTIONS
    if not talk.stage.is_sample:
        tree = await talk.ask("pi/tree", TreeParams(limit=MANY), TreeResult)
        files = (await talk.ask("pi/rules/all", NoParams(), AllRules)).files
        asked = questions(tree.nodes, files)
    for index, question in enumerate(asked):
        if index:
            talk.screen.print("")
        params = ExplainParams(entry_id=question.entry_id, query=question.query)
        explanation = await talk.ask("pi/explain", params, Explanation)
        if talk.stage.is_sample and not explanation.hits:
            raise ServerError(f"pi/explain found nothing for {question.text}")
        show_explanation(talk.screen, explanation, question.text, limit=3)
    if not asked:
        talk.screen.note("There is nothing to forget yet: no session, and every rule file is loaded.")


async def _compaction(talk: Talk) -> None:
    params = PreviewParams()
    try:
        preview = await talk.ask("pi/compact/preview", params, Preview)
    except RefusedError as error:
        if error.reason != "nothingToCompact" or talk.stage.session is None:
            raise
        keep = (await talk.ask("pi/context", ContextParams(), Context)).total // 4
        talk.screen.note(f"Not needed yet: {talk.screen.shorten(str(error))}. With only {count(keep)} kept:")
        talk.screen.print("")
        preview = await talk.ask("pi/compact/preview", PreviewParams(keep_recent_tokens=keep), Preview)
    show_preview(talk.screen, preview)


PARTS = (
    Part(
        "Hover over a path",
        "Point at a path in a rule file or a skill: which rules hold there, and why others do not.",
        _hover,
    ),
    Part(
        "The rules of three folders",
        "An agent reads one rule file a folder, from your agent folder down to where it starts: "
        "what it is told depends on where that is.",
        _rules,
    ),
    Part(
        "Skills",
        "The model is told the name and description of these, and reads the rest when a task calls for it.",
        _skills,
    ),
    Part(
        "The session tree",
        "A session is a tree. What was tried and left stays in the file, but not in what the model sees. "
        "(Tool results are not shown here.)",
        _tree,
    ),
    Part(
        "What the model would see",
        "The context is built anew for every request. This is the next one, in the order in which it is read.",
        _context,
    ),
    Part(
        "Why did it forget …?",
        "Any text, wherever it stands: whether the next request holds it, what took it out, what brings it back.",
        _forgotten,
    ),
    Part(
        "A compaction, before it happens",
        "When the window fills up, old messages give way to a summary. Look at it first; nothing is written.",
        _compaction,
    ),
)
