"""The sentences as the vectors name them."""

from pi_lsp.context.wording import Wording

NAMED_WORDING = Wording(
    preamble="$PREAMBLE",
    tools_note="$TOOLS_NOTE",
    rule_bash="$RULE_BASH",
    rule_powershell="$RULE_POWERSHELL",
    rule_bash_or_powershell="$RULE_BASH_OR_POWERSHELL",
    rule_concise="$RULE_CONCISE",
    rule_paths="$RULE_PATHS",
    docs="$DOCS",
    context_lead="$CONTEXT_LEAD",
    skills_lead="$SKILLS_LEAD",
    skills_read="$SKILLS_READ",
    skills_bash="$SKILLS_BASH",
    skills_any="$SKILLS_ANY",
    skills_paths="$SKILLS_PATHS",
    compaction_lead="$COMPACTION_LEAD",
    branch_lead="$BRANCH_LEAD",
    branch_preamble="$BRANCH_PREAMBLE",
    summary_system="$SUMMARIZATION_SYSTEM_PROMPT",
    summary_first="$SUMMARIZATION_PROMPT",
    summary_update="$UPDATE_SUMMARIZATION_PROMPT",
    summary_turn_prefix="$TURN_PREFIX_PROMPT",
    summary_branch="$BRANCH_SUMMARY_PROMPT",
)
