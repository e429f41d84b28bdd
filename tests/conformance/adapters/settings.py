"""The op of the group settings; the runner writes the files and sets the home folder."""

from pi_lsp.base.files import Disk
from pi_lsp.base.json import Json
from pi_lsp.resources import settings, settings_files
from pi_lsp.resources.settings_read import SettingError
from tests.conformance.case import Case
from tests.conformance.shapes import answer_or_error, to_json


def load(case: Case) -> Json:
    files = settings_files.load(
        Disk(),
        case.path(case.input.get("cwd", "$ROOT/p")),
        case.path(case.input.get("agentDir", "$ROOT/agent")),
        trusted=case.input.get("projectTrusted", True),
    )
    read = settings.effective(files)
    model = case.input.get("model", {})
    return {
        "merged": read.values,
        "errors": [{"scope": error.scope, "path": error.path} for error in files.errors],
        "compaction": answer_or_error(lambda: read.compaction(model.get("provider"), model.get("id")), (SettingError,)),
        "branchSummary": to_json(read.branch_summary),
        "retry": to_json(read.retry),
        "provider": to_json(read.provider_retry),
        "defaultTools": to_json(read.default_tools),
        "skills": to_json(read.skills),
        "trust": read.default_project_trust,
        "steering": read.steering_mode,
        "sessionDir": read.session_dir,
    }
