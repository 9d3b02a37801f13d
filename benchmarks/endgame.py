"""King and rook against king: how many moves White needs, Black to move; all 28,056 positions that differ.

``python -m benchmarks.endgame`` compares what our learners and XGBoost know of a fifth of them. Labels follow from the
six coordinates without noise, by many small rules: that is what `unless.learn.penalty_search` is about. Depths are
computed backwards from the mates; positions that are turned or mirrored are left out.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np

from benchmarks.rivals import clocked, codes_of, labels_of
from unless import Table, UnlessClassifier, UnlessCommittee, read_table

__all__ = ["main", "positions"]

Square = tuple[int, int]
Position = tuple[Square, Square, Square]
"""White's king and rook, and Black's king."""

_SQUARES = list(product(range(8), repeat=2))
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen"),
)


def _near(one: Square, other: Square) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= 1


_STEPS = {square: [other for other in _SQUARES if other != square and _near(square, other)] for square in _SQUARES}


@lru_cache(None)
def _lines(rook: Square, *blocking: Square) -> frozenset[Square]:
    """The squares that a rook attacks, up to and with the first piece in its way."""
    found = set()
    for column, row in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        square = rook[0] + column, rook[1] + row
        while square in _STEPS:
            found.add(square)
            if square in blocking:
                break
            square = square[0] + column, square[1] + row
    return frozenset(found)


def _black_moves(position: Position) -> list[Square] | None:
    """Where Black's king may go; None if it can take the rook, which is a draw."""
    king, rook, black = position
    free = [square for square in _STEPS[black] if not _near(square, king)]
    if rook in free:
        return None
    attacked = _lines(rook, king)
    return [square for square in free if square not in attacked]


def _white_moves(position: Position) -> list[Position]:
    king, rook, black = position
    walks = [(square, rook, black) for square in _STEPS[king] if square != rook and not _near(square, black)]
    return walks + [(king, square, black) for square in _lines(rook, king, black) if square not in (king, black)]


def _depths() -> dict[Position, int]:
    """The moves to mate of every position that White wins, Black to move."""
    legal = [(k, r, b) for k, r, b in product(_SQUARES, repeat=3) if r not in (k, b) and not _near(k, b)]
    moves = {position: _black_moves(position) for position in legal}
    lost = {p: 0 for p, free in moves.items() if free == [] and p[2] in _lines(p[1], p[0])}
    black = [p for p, free in moves.items() if free]
    white = [(p, _white_moves(p)) for p in legal if p[2] not in _lines(p[1], p[0], p[2])]
    won = set[Position]()
    for depth in range(1, len(_WORDS)):
        soon = {p for p, after in white if any(lost.get(one) == depth - 1 for one in after)}
        white, won = [pair for pair in white if pair[0] not in soon], won | soon
        now = [p for p in black if all((p[0], p[1], square) in won for square in moves[p] or ())]
        lost |= dict.fromkeys(now, depth)
        black = [p for p in black if p not in lost]
    return lost


def _kept(*pieces: Square) -> bool:
    """Whether this is the position that stands for those which turning and mirroring the board give.

    White's king is in the triangle a1, d1, d4. If it is on the long diagonal, the first piece that is not is below it.
    """
    king = pieces[0]
    below = [file - rank for file, rank in (pieces[0], pieces[2], pieces[1]) if file != rank]
    return king[1] <= king[0] <= 3 and (king[0] != king[1] or not below or below[0] > 0)


def positions() -> Table:
    """The positions, with the depth of each as its label."""
    depths, rows = _depths(), []
    for king, rook, black in product(_SQUARES, repeat=3):
        if _kept(king, rook, black) and rook not in (king, black) and not _near(king, black):
            cells = [cell for file, rank in (king, rook, black) for cell in ("abcdefgh"[file], rank + 1)]
            depth = depths.get((king, rook, black))
            rows.append([*cells, "draw" if depth is None else _WORDS[depth]])
    names = ["king file", "king rank", "rook file", "rook rank", "black file", "black rank", "depth"]
    return read_table([dict(zip(names, row, strict=True)) for row in rows], "depth")


def main() -> None:
    """Learn from four fifths, and say what is right of the other fifth."""
    from benchmarks.methods import METHODS

    table = positions()
    order = np.random.default_rng(0).permutation(len(table))
    train, test = table[order[np.arange(len(order)) % 5 != 0]], table[order[::5]]
    labels = np.array(labels_of(test), dtype=object)[codes_of(test)]
    for name, model in {
        "UnlessClassifier()": UnlessClassifier(warn=False),
        "UnlessClassifier(penalty=1)": UnlessClassifier(penalty=1, warn=False),
        "UnlessCommittee()": UnlessCommittee(warn=False),
    }.items():
        cpu, _ = clocked(lambda model=model: model.fit(train))
        print(f"{name:28} {np.mean(model.predict(test) == labels):.4f}  {cpu:.1f} s of CPU")
    found = METHODS["XGBoost"].run(train, test)
    print(f"{'XGBoost':28} {np.mean(found.classes == codes_of(test)):.4f}  {found.cpu:.1f} s of CPU")


if __name__ == "__main__":
    main()
