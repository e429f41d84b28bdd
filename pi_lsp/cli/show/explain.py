"""Why a text does or does not reach the model."""

from rich.padding import Padding
from rich.text import Text

from pi_lsp.api.explain import Explanation
from pi_lsp.base.json import Json
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import CHANGED, NO, YES, Screen
from pi_lsp.context.explain_hits import Hit

_MARKS = {"sent": (YES, "green"), "changed": (CHANGED, "yellow"), "absent": (NO, "yellow")}
_WORDS = {"sent": "", "changed": "changed: ", "absent": "not sent: "}


def show_explanation(screen: Screen, explanation: Explanation, query: str, limit: int | None = None) -> None:
    """Every place that holds the text, what is missing first, and what would bring it back."""
    verdicts = {None: "", True: "the next request holds it", False: "the next request does not hold it"}
    screen.heading(f"“{query}”", verdicts[explanation.in_request])
    if not explanation.hits:
        screen.note("Nowhere: no entry of any branch, no rule file and no skill says this.")
    shown = explanation.hits[:limit]
    for hit in shown:
        _show(screen, hit)
    if explanation.more or len(shown) < len(explanation.hits):
        screen.print(Text("    … and more", "dim"))


def _show(screen: Screen, hit: Hit) -> None:
    mark, style = _MARKS[hit.fate]
    line = Text().append(f"  {mark} ", style)
    line.append(_place(screen, hit), "cyan").append("  ")
    line.append(clean(hit.preview))
    line.truncate(screen.console.width, overflow="ellipsis")
    screen.print(line)
    about = Text().append(screen.shorten(_WORDS[hit.fate] + hit.detail), style)
    if hit.restore:
        about.append(f"\nbrought back by {hit.restore.method} {_values(screen, hit.restore.params)}", "dim")
    screen.console.print(Padding(about, (0, 0, 0, 4)))


def _place(screen: Screen, hit: Hit) -> str:
    if hit.uri is None:
        return clean(hit.entry_id or "")
    return screen.path(hit.uri) + (f":{hit.range.start.line + 1}" if hit.range else "")


def _values(screen: Screen, value: Json) -> str:
    """The values of params, without their names."""
    match value:
        case dict():
            return " ".join(_values(screen, item) for item in value.values())
        case list():
            return " ".join(_values(screen, item) for item in value)
        case str():
            return screen.path(value)
        case _:
            return str(value)
