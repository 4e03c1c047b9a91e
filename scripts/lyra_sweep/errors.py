# SPDX-License-Identifier: Apache-2.0
"""Errors of the user: place, cause, what to do."""
import difflib


class SweepError(Exception):
    """str() is "place: text"."""

    def __init__(self, place, text):
        super().__init__(f"{place}: {text}")


def did_you_mean(word, names):
    """'; did you mean "x"?' for the nearest name, "" where none is near."""
    near = difflib.get_close_matches(str(word), list(names), n=1, cutoff=0.6)
    if not near and "." not in str(word):  # "channels" for "l2.channels"
        near = [n for n in names if n.rsplit(".", 1)[-1] == word][:1]
    return f'; did you mean "{near[0]}"?' if near else ""
