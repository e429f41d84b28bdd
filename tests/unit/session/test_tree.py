import time

from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree


def entry(key: str, parent: str | None, kind: str = "custom", time: str = "2025-01-01T00:00:00.000Z", **fields: object):
    return Entry.of({"type": kind, "id": key, "parentId": parent, "timestamp": time, **fields})


def ids(entries):
    return [each.id for each in entries]


def test_path_from_root_to_leaf():
    tree = Tree([entry("a", None), entry("b", "a"), entry("c", "b"), entry("d", "b")])
    assert tree.leaf_id == "d"
    assert ids(tree.path("c")) == ["a", "b", "c"]
    assert ids(tree.path(tree.leaf_id)) == ["a", "b", "d"]
    assert tree.path(None) == []


def test_unknown_leaf_reads_as_the_last_entry():
    tree = Tree([entry("a", None), entry("b", "a")])
    assert ids(tree.path("nope")) == ids(tree.path("")) == ["a", "b"]
    assert Tree([]).path("nope") == []


def test_of_duplicate_ids_the_last_one_wins():
    tree = Tree([entry("a", None), entry("b", "a", data=1), entry("c", "b"), entry("b", None, data=2)])
    assert len(tree) == 3
    assert tree.leaf_id == "b"
    assert ids(tree.path("c")) == ["b", "c"]
    assert ids(tree.roots) == ["a", "b"]


def test_orphan_is_a_root_until_its_parent_arrives():
    tree = Tree([entry("a", None), entry("b", "late")])
    assert ids(tree.roots) == ["a", "b"]
    tree.add(entry("late", "a"))
    assert ids(tree.roots) == ["a"]
    assert ids(tree.path("b")) == ["a", "late", "b"]


def test_S13_an_entry_that_is_its_own_parent_becomes_a_root():
    tree = Tree([entry("a", "a"), entry("b", "a")])
    assert ids(tree.path("b")) == ["a", "b"]
    assert ids(tree.roots) == ["a"]
    assert tree.cut == {"a"}


def test_S13_a_cycle_is_cut_at_its_first_entry():
    tree = Tree([entry("x", "b"), entry("a", "c"), entry("b", "a"), entry("c", "b"), entry("d", "c")])
    assert tree.cut == {"a"}
    assert ids(tree.path("d")) == ["a", "b", "c", "d"]
    assert ids(tree.path("x")) == ["a", "b", "x"]
    assert ids(tree.roots) == ["a"]


def test_S13_a_cycle_closed_by_a_duplicate_or_a_late_entry_is_cut():
    tree = Tree([entry("a", None), entry("b", "a")])
    assert tree.cut == set()
    tree.add(entry("a", "b"))
    assert tree.cut == {"b"}
    late = Tree([entry("a", "z"), entry("b", "a")])
    late.add(entry("z", "b"))
    assert ids(late.path("z")) == ["a", "b", "z"]


def test_children_are_sorted_by_time_and_roots_are_not():
    late, early = "2025-03-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z"
    tree = Tree([entry("r", None, time=late), entry("q", None, time=early), entry("b", "r", time=late)])
    tree.add(entry("c", "r", time=early))
    assert ids(tree.children("r")) == ["c", "b"]
    assert ids(tree.roots) == ["r", "q"]
    assert tree.children("nope") == []


def test_common_ancestor():
    tree = Tree([entry("a", None), entry("b", "a"), entry("c", "b"), entry("d", "b"), entry("e", None)])
    assert tree.common_ancestor("c", "d") == "b"
    assert tree.common_ancestor("c", "b") == "b"
    assert tree.common_ancestor("c", "e") is None
    assert tree.common_ancestor(None, "c") is None
    assert tree.common_ancestor("nope", "c") is None


def test_labels_latest_wins_and_empty_clears():
    tree = Tree(
        [
            entry("a", None),
            entry("l1", "a", "label", targetId="a", label="one"),
            entry("l2", "l1", "label", targetId="l1", label="two"),
            entry("l3", "l2", "label", targetId="a", label="three"),
            entry("l4", "l3", "label", targetId="l1", label=""),
            entry("l5", "l4", "label", targetId="l2", label=5),
        ]
    )
    assert tree.labels() == {"a": "three"}
    assert tree.label_entries()["a"].id == "l3"


def test_name_latest_wins_and_empty_clears():
    tree = Tree([entry("a", None, "session_info", name=" My name ")])
    assert tree.name == "My name"
    tree.add(entry("b", "a", "session_info", name=" "))
    assert tree.name is None
    tree.add(entry("c", "b", "session_info", name=7))
    assert tree.name is None


def test_S16_a_path_of_100_000_entries_is_linear():
    def seconds(count: int) -> float:
        entries = [entry(str(index), str(index - 1) if index else None) for index in range(count)]
        start = time.process_time()
        tree = Tree(entries)
        assert len(tree.path(str(count - 1))) == count
        assert tree.common_ancestor(str(count - 1), str(count // 2)) == str(count // 2)
        assert ids(tree.children(str(count - 2))) == [str(count - 1)]
        return time.process_time() - start

    assert seconds(100_000) < 40 * max(seconds(10_000), 0.002)


def test_S16_a_file_written_backwards_is_linear_too():
    count = 100_000
    tree = Tree(entry(str(index), str(index + 1)) for index in range(count))
    start = time.process_time()
    assert len(tree.path("0")) == count
    assert time.process_time() - start < 2
    closed = Tree(entry(str(index), str((index + 1) % count)) for index in range(count))
    assert closed.cut == {"0"}
    assert len(closed.path("1")) == count


def slow_path(entries, leaf):
    """The path by brute force: links looked up in the list, cycles cut where the file comes first."""
    known = {}
    for each in entries:
        known.pop(each.id, None)
        known[each.id] = each.parent_id
    order = list(known)

    def cycle_of(start):
        walk = [start]
        while known.get(walk[-1]) in known:
            if known[walk[-1]] in walk:
                return walk[walk.index(known[walk[-1]]) :]
            walk.append(known[walk[-1]])
        return []

    cut = {min(cycle, key=order.index) for cycle in map(cycle_of, order) if cycle}
    path = []
    while leaf in known:
        path.append(leaf)
        leaf = None if leaf in cut else known[leaf]
    return path[::-1], cut


links = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.none() | st.sampled_from("abcdefghXY")), max_size=14)


@given(links)
def test_tree_agrees_with_the_slow_model(pairs):
    entries = [entry(key, parent) for key, parent in pairs]
    tree = Tree(entries)
    for leaf in {each.id for each in entries}:
        path, cut = slow_path(entries, leaf)
        assert ids(tree.path(leaf)) == path
        assert tree.cut == cut
    assert sum(len(tree.children(each.id)) for each in tree) + len(tree.roots) == len(tree)
    for each in tree:
        for child in tree.children(each.id):
            assert tree.parent(child) is each


@given(links, links)
def test_growing_step_by_step_equals_building_at_once(first, second):
    grown = Tree(entry(key, parent) for key, parent in first)
    assert len(grown.roots) >= bool(first)
    for key, parent in second:
        grown.add(entry(key, parent))
    whole = Tree(entry(key, parent) for key, parent in first + second)
    assert grown.cut == whole.cut
    assert ids(grown) == ids(whole)
    for each in whole:
        assert ids(grown.path(each.id)) == ids(whole.path(each.id))
        assert ids(grown.children(each.id)) == ids(whole.children(each.id))
