import pytest

from pi_lsp.base.json import as_int, decode, encode


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("9007199254740993", "9007199254740992"),
        ("12345678901234567890", "12345678901234567000"),
        ("1000000000000000000000", "1e+21"),
        ("1" + "0" * 400, "null"),
        ("1" + "0" * 5000, "null"),
        ("-1e999", "null"),
        ("-0.0", "0"),
        ("1e-7", "1e-7"),
        ("0.000001", "0.000001"),
    ],
)
def test_numbers_print_as_javascript_reads_them(text: str, printed: str) -> None:
    assert encode(decode(text)) == printed


@pytest.mark.parametrize("text", ["1e999", "1e300", "1" + "0" * 400, str(2**63), "true", '"7"', "null"])
def test_what_nothing_counts_to_is_no_count(text: str) -> None:
    assert as_int(decode(text)) == 0


def test_a_count_is_cut_to_an_integer() -> None:
    assert (as_int(7.9), as_int(-7.9), as_int(2**63 - 1)) == (7, -7, 2**63 - 1)
