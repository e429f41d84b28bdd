"""Conditions of deviations.toml about the user's files: skills, templates, settings."""

import os
import re
from collections.abc import Callable

from pi_lsp.base.json import as_object, as_str, encode, objects
from pi_lsp.base.paths import is_within
from tests.conformance.case import Vector


def link_to_above(vector: Vector) -> bool:
    """A symbolic link leads to a folder that it lies in."""
    for name, value in as_object(vector.input.get("files")).items():
        path = "/" + name.removeprefix("$ROOT/")
        target = as_object(value).get("symlink")
        if isinstance(target, str):
            target = re.sub(r"\$ROOT(?=/|$)", "/", target, count=1)
            if is_within(os.path.join(os.path.dirname(path), target), path):
                return True
    return False


def half_a_pair_described(vector: Vector) -> bool:
    """Pi's description of a template ends in the middle of a surrogate pair."""
    templates = objects(as_object(vector.expected).get("templates"))
    return any(re.search("[\ud800-\udfff]", as_str(template.get("description"))) for template in templates)


def skills_no_list_of_texts(vector: Vector) -> bool:
    """The setting `skills` is something else than a list of texts."""
    skills = as_object(as_object(vector.expected).get("merged")).get("skills", [])
    return not isinstance(skills, list) or any(not isinstance(item, str) for item in skills)


def prototype_set(vector: Vector) -> bool:
    """A settings file has the key `__proto__`."""
    return '"__proto__"' in encode(as_object(vector.input.get("files"))).replace("\\", "")


RESOURCE_PREDICATES: dict[str, Callable[[Vector], bool]] = {
    "half_a_pair_described": half_a_pair_described,
    "link_to_above": link_to_above,
    "prototype_set": prototype_set,
    "skills_no_list_of_texts": skills_no_list_of_texts,
}
