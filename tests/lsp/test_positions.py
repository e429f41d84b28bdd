from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.lsp.positions import split_lines, to_column, to_index, to_offset

TEXT = st.text(alphabet="ab é💡\u2028\f\v\x85\r\n", max_size=30)
ENCODINGS = ("utf-8", "utf-16", "utf-32")


@given(TEXT)
def test_lines_are_the_text_and_end_only_where_lsp_says(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert [line.rstrip("\r\n") for line in lines] == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[
        : len(lines)
    ]


@given(TEXT, st.sampled_from(ENCODINGS))
def test_every_index_comes_back_from_its_column(text: str, encoding: str) -> None:
    for line in split_lines(text):
        for index in range(len(line.rstrip("\r\n")) + 1):
            assert to_index(line, to_column(line, index, encoding), encoding) == index


def test_the_three_encodings_count_what_they_should() -> None:
    line = "é💡x\n"
    assert [to_column(line, 2, encoding) for encoding in ENCODINGS] == [6, 3, 2]


def test_a_column_behind_the_end_is_the_end() -> None:
    assert [to_index("ab\r\n", 99, encoding) for encoding in ENCODINGS] == [2, 2, 2]
    assert [to_index("é💡", 99, encoding) for encoding in ENCODINGS] == [2, 2, 2]


def test_a_position_behind_the_end_is_the_end() -> None:
    assert to_offset(["a\n", "bc"], 1, 9, "utf-16") == 4
    assert to_offset(["a\n", "bc"], 7, 0, "utf-16") == 4
    assert to_offset([], 0, 0, "utf-16") == 0
