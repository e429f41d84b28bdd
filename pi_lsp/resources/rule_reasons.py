"""Why a rule file is not loaded, in the words that every face shows."""

from pi_lsp.resources.rules import Reason


def why_not_loaded(reason: Reason | None, *, by: str = "", detail: str = "") -> str:
    """Why a file is not loaded, or is loaded twice; the end of a sentence, empty where there is nothing to say.

    `by` and `detail` are those of the record, written as the face writes what is not ours.
    """
    match reason:
        case None:
            return ""
        case "shadowed":
            return f"{by} is read instead"
        case "notAFile":
            return f"it is no file but {detail}"
        case "unreadable":
            return f"it cannot be read: {detail}"
        case "otherCase":
            return f"its name is not spelled right: {detail}"
        case "belowCwd":
            return "it lies below the working directory, and an agent reads none below"
        case "worktree":
            return f"this git worktree has a copy of its own, {by}, which is read instead"
        case "duplicate":
            return f"the same file as {by}: the model gets it twice"
