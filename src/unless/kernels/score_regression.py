# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Points: rows that are different, as lists of parts that hold; and logistic regression on them."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.cpython.exc import PyErr_CheckSignals
    from cython.cimports.libc.math import exp, fabs, floor, log, sqrt
else:
    from math import exp, fabs, floor, log, sqrt

Size = cython.typedef(cython.Py_ssize_t)

MEMORY = cython.declare(cython.int, 5)  # how many steps show the second derivative
BLOCK = cython.declare(cython.Py_ssize_t, 48)  # how many parts the second derivative is known for together
SAMPLE = cython.declare(cython.double, 512)  # how many records show it at the start

STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # the constants of SplitMix64
FIRST = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
SECOND = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)  # C needs no such mask, Python does


def number_distinct_rows(
    bins: cython.int[::1],
    table: cython.int[::1],
    hashes: cython.ulonglong[::1],
    first: cython.int[::1],
    kind: cython.int[::1],
) -> cython.Py_ssize_t:
    """Number the different rows of bins, which stand column after column, and say how many there are.

    Writes the number of each row's kind, and of each kind its hash and its first row. Kinds with the same hash are one:
    this is chance. The table has a power of two of places, more than there are rows, all of them -1.
    """
    if not cython.compiled:
        bins, table, hashes, first, kind = map(memoryview, (bins, table, hashes, first, kind))
    rows: Size = len(kind)
    mask: cython.ulonglong = len(table) - 1
    columns: Size = len(bins) // rows if rows else 0
    found: Size = 0
    row: Size
    k: Size
    bits: cython.ulonglong
    place: cython.ulonglong
    with cython.nogil:
        for row in range(rows):
            bits = 0
            for k in range(columns):
                bits = mix_bits(bits + bins[k * rows + row])
            place = bits & mask
            while table[place] >= 0 and hashes[table[place]] != bits:
                place = (place + 1) & mask
            if table[place] < 0:
                table[place] = found
                hashes[found] = bits
                first[found] = row
                found += 1
            kind[row] = table[place]
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mix_bits(bits: cython.ulonglong) -> cython.ulonglong:
    """SplitMix64: a change of one bit changes half of them."""
    bits = (bits + STEP) & ALL_BITS
    bits = ((bits ^ (bits >> 30)) * FIRST) & ALL_BITS
    bits = ((bits ^ (bits >> 27)) * SECOND) & ALL_BITS
    return bits ^ (bits >> 31)


def list_atoms(
    deciding: cython.int[::1],
    bins: cython.int[::1],
    offsets: cython.int[::1],
    inner: cython.uchar[::1],
    decisions: cython.int,
    starts: cython.int[::1],
    places: cython.int[::1],
):
    """List the atoms of rows: the part that decides, a bin of each column, and the parts inside that hold.

    Bins and truths stand column after column. The atoms of a column's bins begin at its offset; those inside begin
    after the parts that decide.
    """
    if not cython.compiled:
        deciding, bins, offsets, inner = map(memoryview, (deciding, bins, offsets, inner))
        starts, places = map(memoryview, (starts, places))
    rows: Size = len(deciding)
    columns: Size = len(offsets)
    inside: Size = len(inner) // rows if rows else 0
    at: Size = 0
    row: Size
    k: Size
    with cython.nogil:
        starts[0] = 0
        for row in range(rows):
            places[at] = deciding[row]
            at += 1
            for k in range(columns):
                places[at] = offsets[k] + bins[k * rows + row]
                at += 1
            for k in range(inside):
                if inner[k * rows + row]:
                    places[at] = decisions + k
                    at += 1
            starts[row + 1] = at


@cython.final
@cython.cclass
class Regression:
    """The logits of parts that minimise the log-loss of records, plus half of their squares times the penalties.

    A record is a list of atoms, an atom a list of parts, and list k is ``places[starts[k]:starts[k + 1]]``. The last
    part is the base: no atom has it, every record does. A record counts ``totals`` times, and ``wanted`` times with
    each label. All have one number per column, side by side; a single column is the logit of the second of two labels,
    against the first.
    """

    width: Size  # columns
    size: Size  # logits
    records: cython.int[::1]
    record_atoms: cython.int[::1]
    atoms: cython.int[::1]
    atom_parts: cython.int[::1]
    totals: cython.double[::1]
    wanted: cython.double[::1]
    penalties: cython.double[::1]

    sums: cython.double[::1]  # scratch: the logits of every atom
    left: cython.double[::1]  # the derivatives of every atom
    row: cython.double[::1]  # those of a record
    factor: cython.double[::1]  # see `start`: a row for each part
    often: cython.double[::1]  # the weight of the records that have each part
    held: cython.int[::1]  # scratch: the parts that a record has
    truths: cython.uchar[::1]  # whether it has each part

    def __init__(self, columns, records, record_atoms, atoms, atom_parts, totals, wanted, penalties):
        self.width = columns
        self.size = len(penalties) * columns
        self.records, self.record_atoms = view(records), view(record_atoms)
        self.atoms, self.atom_parts = view(atoms), view(atom_parts)
        self.totals, self.wanted, self.penalties = view(totals), view(wanted), view(penalties)
        self.sums, self.left = (view(np.empty((len(atoms) - 1) * columns)) for _ in range(2))
        self.row = view(np.empty(columns))
        self.factor, self.often = view(np.empty(len(penalties) * BLOCK)), view(np.empty(len(penalties)))
        self.held, self.truths = view(np.empty(len(penalties), np.int32)), view(np.zeros(len(penalties), np.uint8))

    def loss(self, logits, slopes):
        """The loss of logits; its derivatives are written to ``slopes``."""
        return self.descend(view(logits), view(slopes))

    def minimum(self, rounds: cython.int, close: cython.double):
        """The logits where the loss is least: L-BFGS, in ``steps`` steps from the base alone.

        It ends earlier with a step that lessens the loss by no more than this share of it.
        """
        n: Size = self.size
        found = np.zeros(n)
        logits: cython.double[::1] = view(found)
        scratch: cython.double[::1] = view(np.empty(n))
        gradient: cython.double[::1] = view(np.empty(n))
        moved: cython.double[::1] = view(np.empty(n))
        slopes: cython.double[::1] = view(np.empty(n))
        direction: cython.double[::1] = view(np.empty(n))
        steps: cython.double[::1] = view(np.empty(n * MEMORY))
        bends: cython.double[::1] = view(np.empty(n * MEMORY))
        curvatures: cython.double[::1] = view(np.empty(MEMORY))
        shares: cython.double[::1] = view(np.empty(MEMORY))
        i: Size
        known: cython.int = 0
        self.start(logits)
        self.factorise()
        value: cython.double = self.descend(logits, gradient)
        for _ in range(rounds):
            if cython.compiled:
                PyErr_CheckSignals()  # Ctrl-C: a round of many records and parts may take a while
            self.aim(gradient, steps, bends, curvatures, shares, known, scratch, direction)
            slope: cython.double = 0.0
            for i in range(n):
                slope += gradient[i] * direction[i]
            length: cython.double = 1.0
            while True:
                for i in range(n):
                    moved[i] = logits[i] + length * direction[i]
                reached: cython.double = self.descend(moved, slopes)
                if reached <= value + 1e-4 * length * slope or length < 1e-6:
                    break
                length /= 2
            if not reached <= value:
                break  # no step helps: this is the minimum, to the last bit
            at: Size = known % MEMORY * n
            curvature: cython.double = 0.0
            for i in range(n):
                steps[at + i] = moved[i] - logits[i]
                bends[at + i] = slopes[i] - gradient[i]
                curvature += steps[at + i] * bends[at + i]
            logits[:] = moved
            gradient[:] = slopes
            gained: cython.double = value - reached
            value = reached
            if gained <= close * value or curvature <= 0:
                break
            curvatures[known % MEMORY] = curvature
            known += 1  # noqa: SIM113 - rounds that show nothing end the search
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start(self, logits: cython.double[::1]) -> cython.void:
        """The base alone, with the shares of the labels; and about how fast the gradient grows with the logits.

        That is the second derivative there, the same for all labels: on the average. Parts hold together, so it is far
        from diagonal; it is kept in blocks of parts that follow each other. How often two parts hold together is seen
        from a sample, in proportion to weight, because pairs are many; how often each holds, from all records.
        """
        width: Size = self.width
        left: cython.double[::1] = self.left
        often: cython.double[::1] = self.often
        base: Size = len(self.penalties) - 1
        total: cython.double = 0.0
        varied: cython.double = 0.0
        passed: cython.double = 0.0
        drawn: cython.double
        k: Size
        at: Size
        part: Size
        column: Size
        for k in range(len(self.factor)):
            self.factor[k] = 0.0
        for k in range(len(left)):
            left[k] = 0.0
        for part in range(base + 1):
            often[part] = 0.0
        for k in range(len(self.totals)):
            total += self.totals[k]
            for at in range(self.records[k], self.records[k + 1]):
                left[self.record_atoms[at]] += self.totals[k]
        for k in range(len(self.atoms) - 1):
            for at in range(self.atoms[k], self.atoms[k + 1]):
                often[self.atom_parts[at]] += left[k]
        often[base] = total
        for k in range(len(self.totals)):
            drawn = floor(passed / total * SAMPLE)
            passed += self.totals[k]
            drawn = floor(passed / total * SAMPLE) - drawn
            if drawn > 0:
                self.add_pairs(k, drawn * total / SAMPLE)
        for column in range(width):
            label: cython.double = 0.0
            for k in range(len(self.totals)):
                label += self.wanted[k * width + column]
            share: cython.double = (label + 0.5) / (total + 0.5 * max(width, 2))  # a label may have no records
            # not 1 - share: if one label has nearly all the weight, that is 0
            logits[base * width + column] = log(share if width > 1 else (label + 0.5) / (total - label + 0.5))
            varied += max(share * (1 - share), 1e-3) / width
        for part in range(base + 1):
            for k in range(part % BLOCK + 1):
                self.factor[part * BLOCK + k] *= varied
            k = part * BLOCK + part % BLOCK
            self.factor[k] = max(self.factor[k], often[part] * varied) + self.penalties[part] + 1e-9

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_pairs(self, record: Size, weight: cython.double) -> cython.void:
        """Add the weight of a record to all pairs of parts that it has, in each block."""
        base: Size = len(self.penalties) - 1
        held: cython.int[::1] = self.held
        truths: cython.uchar[::1] = self.truths
        found: Size = 0
        first: Size = 0  # the first part of the block among those that are held
        block: Size = 0
        i: Size
        at: Size
        part: Size
        atom: Size
        for at in range(self.records[record], self.records[record + 1]):
            atom = self.record_atoms[at]
            for i in range(self.atoms[atom], self.atoms[atom + 1]):
                truths[self.atom_parts[i]] = 1
        truths[base] = 1
        for part in range(base + 1):  # in order, without sorting
            if not truths[part]:
                continue
            truths[part] = 0
            if part >= block + BLOCK:
                block = part - part % BLOCK
                first = found
            held[found] = part - block
            found += 1
            for i in range(first, found):
                self.factor[part * BLOCK + held[i]] += weight

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def factorise(self) -> cython.void:
        """Replace each block by its lower factor (Cholesky)."""
        factor: cython.double[::1] = self.factor
        part: Size
        first: Size
        row: Size
        other: Size
        i: Size
        k: Size
        rest: cython.double
        for part in range(len(self.penalties)):
            row = part * BLOCK
            first = part - part % BLOCK
            for i in range(part - first + 1):
                other = (first + i) * BLOCK
                rest = factor[row + i]
                for k in range(i):
                    rest -= factor[row + k] * factor[other + k]
                if i < part - first:
                    factor[row + i] = rest / factor[other + i]
                else:  # rounding may leave nothing of a part that others imply
                    factor[row + i] = sqrt(max(rest, 1e-10 * factor[row + i]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def divide(self, values: cython.double[::1]) -> cython.void:
        """Divide by the lower factor."""
        width: Size = self.width
        part: Size
        first: Size
        k: Size
        column: Size
        by: cython.double
        for part in range(len(self.penalties)):
            first = part - part % BLOCK
            for k in range(part - first):
                by = self.factor[part * BLOCK + k]
                for column in range(width):
                    values[part * width + column] -= by * values[(first + k) * width + column]
            by = self.factor[part * BLOCK + part - first]
            for column in range(width):
                values[part * width + column] /= by

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def divide_back(self, values: cython.double[::1]) -> cython.void:
        """Divide by the transpose of the lower factor."""
        width: Size = self.width
        part: Size
        first: Size
        k: Size
        column: Size
        by: cython.double
        for part in range(len(self.penalties) - 1, -1, -1):
            first = part - part % BLOCK
            by = self.factor[part * BLOCK + part - first]
            for column in range(width):
                values[part * width + column] /= by
            for k in range(part - first):
                by = self.factor[part * BLOCK + k]
                for column in range(width):
                    values[(first + k) * width + column] -= by * values[part * width + column]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def descend(self, logits: cython.double[::1], slopes: cython.double[::1]) -> cython.double:
        """The loss of logits, and its derivatives."""
        width: Size = self.width
        base: Size = self.size - width
        loss: cython.double = 0.0
        sums: cython.double[::1] = self.sums
        left: cython.double[::1] = self.left
        k: Size
        at: Size
        column: Size
        for k in range(len(self.atoms) - 1):
            for column in range(width):
                sums[k * width + column] = left[k * width + column] = 0.0
            for at in range(self.atoms[k], self.atoms[k + 1]):
                for column in range(width):
                    sums[k * width + column] += logits[self.atom_parts[at] * width + column]
        for k in range(self.size):
            slopes[k] = self.penalties[k // width] * logits[k]
            loss += 0.5 * slopes[k] * logits[k]
        if width == 1:
            loss += self.one_column(logits[base], slopes)
        else:
            loss += self.many_columns(logits, slopes)
        for k in range(len(self.atoms) - 1):
            for at in range(self.atoms[k], self.atoms[k + 1]):
                for column in range(width):
                    slopes[self.atom_parts[at] * width + column] += left[k * width + column]
        return loss

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def one_column(self, base: cython.double, slopes: cython.double[::1]) -> cython.double:
        """The log-loss of records; their derivatives are added to those of atoms and the base."""
        records: cython.int[::1] = self.records
        atoms: cython.int[::1] = self.record_atoms
        sums: cython.double[::1] = self.sums
        left: cython.double[::1] = self.left
        loss: cython.double = 0.0
        total: cython.double = 0.0
        k: Size
        at: Size
        for k in range(len(self.totals)):
            score: cython.double = base
            for at in range(records[k], records[k + 1]):
                score += sums[atoms[at]]
            small: cython.double = exp(-fabs(score))  # at most 1: nothing overflows
            loss += self.totals[k] * (max(score, 0.0) + log(1 + small)) - self.wanted[k] * score
            share: cython.double = (1.0 if score > 0 else small) / (1 + small)
            value: cython.double = self.totals[k] * share - self.wanted[k]
            total += value
            for at in range(records[k], records[k + 1]):
                left[atoms[at]] += value
        slopes[self.size - 1] += total
        return loss

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def many_columns(self, logits: cython.double[::1], slopes: cython.double[::1]) -> cython.double:
        """The same for a column per label."""
        records: cython.int[::1] = self.records
        atoms: cython.int[::1] = self.record_atoms
        sums: cython.double[::1] = self.sums
        left: cython.double[::1] = self.left
        row: cython.double[::1] = self.row
        wanted: cython.double[::1] = self.wanted
        width: Size = self.width
        base: Size = self.size - width
        loss: cython.double = 0.0
        k: Size
        at: Size
        atom: Size
        column: Size
        for k in range(len(self.totals)):
            for column in range(width):
                row[column] = logits[base + column]
            for at in range(records[k], records[k + 1]):
                atom = atoms[at] * width
                for column in range(width):
                    row[column] += sums[atom + column]
            top: cython.double = row[0]
            for column in range(1, width):
                top = max(top, row[column])
            odds: cython.double = 0.0
            for column in range(width):
                loss -= wanted[k * width + column] * row[column]
                row[column] = exp(row[column] - top)
                odds += row[column]
            loss += self.totals[k] * (top + log(odds))
            each: cython.double = self.totals[k] / odds
            for column in range(width):
                row[column] = each * row[column] - wanted[k * width + column]
                slopes[base + column] += row[column]
            for at in range(records[k], records[k + 1]):
                atom = atoms[at] * width
                for column in range(width):
                    left[atom + column] += row[column]
        return loss

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def aim(
        self,
        gradient: cython.double[::1],
        steps: cython.double[::1],
        bends: cython.double[::1],
        curvatures: cython.double[::1],
        shares: cython.double[::1],
        known: cython.int,
        scratch: cython.double[::1],
        out: cython.double[::1],
    ) -> cython.void:
        """Minus the gradient, divided by the second derivative, as far as the last steps show it (Nocedal 1980)."""
        n: Size = self.size
        first: cython.int = max(known - MEMORY, 0)
        i: Size
        k: cython.int
        place: cython.int
        at: Size
        share: cython.double
        for i in range(n):
            out[i] = -gradient[i]
        for k in range(known - 1, first - 1, -1):
            place = k % MEMORY
            at = place * n
            share = dot(steps, at, out, n) / curvatures[place]
            shares[place] = share
            for i in range(n):
                out[i] -= share * bends[at + i]
        scale: cython.double = 1.0
        if known:
            place = (known - 1) % MEMORY
            at = place * n
            for i in range(n):
                scratch[i] = bends[at + i]
            self.divide(scratch)
            scale = curvatures[place] / dot(scratch, 0, scratch, n)
        self.divide(out)
        self.divide_back(out)
        for i in range(n):
            out[i] *= scale
        for k in range(first, known):
            place = k % MEMORY
            at = place * n
            share = shares[place] - dot(bends, at, out, n) / curvatures[place]
            for i in range(n):
                out[i] += share * steps[at + i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def dot(one: cython.double[::1], at: Size, other: cython.double[::1], size: Size) -> cython.double:
    """The sum of products of a row of one array and another array."""
    total: cython.double = 0.0
    i: Size
    for i in range(size):
        total += one[at + i] * other[i]
    return total
