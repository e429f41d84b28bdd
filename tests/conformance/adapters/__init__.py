"""One module a group, one function an op: they map JSON to the product's types and back, and nothing else.

A model to copy, for a group with the ops `load` (a file tree) and `prepare` ("or {error}", a scripted summariser):

    from pi_lsp.base.files import Disk
    from pi_lsp.base.json import Json
    from pi_lsp.compaction import summary
    from pi_lsp.resources import rules
    from tests.conformance.case import Case
    from tests.conformance.script import Script
    from tests.conformance.shapes import answer_or_error_async, drop_none, to_json
    from tests.conformance.wording import NAMED_WORDING

    def load(case: Case) -> Json:
        loaded = rules.load(Disk(), case.path(case.input.get("cwd", "$ROOT/p")))
        return drop_none({"files": to_json(loaded.files), "warnings": loaded.warnings or None})

    async def prepare(case: Case) -> Json:
        script = Script(case.input.get("replies", ["SUMMARY"]))
        result = await answer_or_error_async(summary.write(case.input["entries"], script, wording=NAMED_WORDING))
        return {"result": result, "requests": script.requests}

An op may be `async def`. What is too long for one file goes into `<group>_<part>.py`, imported by `<group>.py`.
adapter_rules.py says what an adapter may be made of: no loops (comprehensions do), arithmetic, comparisons of values,
string methods, slices or classes; a condition only asks whether something is present. What computes or decides belongs
in the product.
"""
