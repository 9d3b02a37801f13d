"""What is shown or written has no passwords."""

from __future__ import annotations

import pickle

import pytest

import unless
from unless.errors import MissingFileError, UnlessError, without_passwords


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:HUSH@h/db", "postgresql://u:…@h/db"),
        ("postgresql://u:HU@SH/H@h/db", "postgresql://u:…@h/db"),
        ("no file 'postgresql:/u:HUSH@h/db'", "no file 'postgresql:/u:…@h/db'"),
        ("postgresql://:HUSH@[::1]:5432/db", "postgresql://:…@[::1]:5432/db"),
        ("postgresql://h/db?user=u&password=HUSH", "postgresql://h/db?user=u&password=…"),
        ("host=h password=HUSH user=u", "host=h password=… user=u"),
        (r"host=h password = 'HU \'SH' user=u", "host=h password = … user=u"),
        ('password="HU SH"', "password=…"),
        ("PGPASSWORD=HUSH unless fit", "PGPASSWORD=… unless fit"),
        ("sslpassword=HUSH", "sslpassword=…"),
        ("CREATE SECRET (TYPE s3, SECRET 'HUSH')", "CREATE SECRET (TYPE s3, SECRET …)"),
        ("ALTER USER u PASSWORD 'HUSH'", "ALTER USER u PASSWORD …"),
    ],
)
def test_a_password_is_left_out(text, shown):
    """Of addresses, settings and statements everything else stays."""
    assert without_passwords(text) == shown


@pytest.mark.parametrize(
    "text", ["a:b@c", "the password is wrong", "no column 'password'; did you mean 'passport'?", ""]
)
def test_other_texts_stay(text):
    """A text about passwords is not one of them."""
    assert without_passwords(text) == text


def test_errors_have_no_passwords():
    """An error that names the address of a database, as whatever it was taken for, leaves its password out."""
    for address in ("postgresql://u:HUSH@h/db?host=x", "postgresql://u:HUSH@h/db", "postgresql://h/db?password=HUSH"):
        with pytest.raises(UnlessError) as error:
            unless.read_table(address)
        assert "HUSH" not in str(error.value) + repr(error.value)
    error = MissingFileError("no file 'postgresql:/u:HUSH@h/db'")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "no file 'postgresql:/u:…@h/db'"
