# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: infer_types=True
"""Contributions: exact Shapley values of the points of a list, against records of a background."""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:  # interpreted, without Cython
    from unless.kernels import _pure_python as cython
import numpy as np

from unless.kernels.binning import view

if cython.compiled:
    from cython.cimports.unless.kernels.row_masks import unless_ones

Size = cython.typedef(cython.Py_ssize_t)

FULL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

LEVELS: object = 2000
"""How often the background may be split on the way to one end; each split takes a frame of the stack."""


@cython.final
@cython.cclass
class ContributionWalk:
    """Walks a decision graph with one record and the whole background at once.

    A node is three numbers: a literal, and the nodes to go to if it holds and if not; a node below 0 is ``~end``. The
    background is a set of bits, one for each record, which splits where some agree with the record and others do not.
    Where they do not, the feature of the literal is taken from the record or from the background, once on each way.

    The Shapley value of a feature is a sum over ends: of an end that is reached with ``a`` features of the record and
    ``b`` of the background, each of the first gets ``(a - 1)! b! / (a + b)!`` of the points, and each of the others
    loses ``a! (b - 1)! / (a + b)!`` of them. ``shares[a * most + b]`` has ``a! b! / (a + b + 1)!``.

    The Shapley interaction index of two features (Grabisch and Roubens, 1999) is such a sum, too: two features of the
    record get ``(a - 2)! b! / (a + b - 1)!`` of the points, two of the background ``a! (b - 2)! / (a + b - 1)!``, and
    one of each loses ``(a - 1)! (b - 1)! / (a + b - 1)!``.
    """

    nodes: cython.const[cython.int][::1]
    features: cython.const[cython.int][::1]
    points: cython.const[cython.double][::1]
    width: cython.Py_ssize_t
    held: cython.const[cython.ulonglong][::1]
    words: cython.Py_ssize_t
    size: cython.Py_ssize_t
    shares: cython.const[cython.double][::1]
    most: cython.Py_ssize_t
    origin: cython.uchar[::1]
    own: cython.int[::1]
    other: cython.int[::1]
    sets: cython.ulonglong[::1]
    levels: cython.Py_ssize_t
    steps: cython.longlong
    truths: cython.const[cython.uchar][::1]
    out: cython.double[::1]
    count: cython.Py_ssize_t
    paired: cython.bint
    pairs: cython.double[::1]

    def __init__(self, nodes, features, points, width, held, size, shares, most, count):
        """Keep a graph and a background: ``held`` has the records in which each literal holds, ``size`` records."""
        self.nodes, self.features, self.points, self.width = view(nodes), view(features), view(points), width
        self.held, self.words, self.size = view(held), max(-(-size // 64), 1), size
        self.shares, self.most = view(shares), most
        self.count = count
        self.origin = view(np.zeros(max(count, 1), np.uint8))
        self.own, self.other = view(np.zeros(most + 1, np.int32)), view(np.zeros(most + 1, np.int32))
        self.levels = min(len(nodes) // 3, LEVELS)
        self.sets = view(np.zeros(2 * (self.levels + 2) * self.words, np.uint64))

    def add(self, root, truths, steps, out, pairs):
        """Add the contributions for a record to ``out``, ``width`` numbers per feature; return the steps that are left.

        ``truths`` has a byte for each literal. ``pairs`` is empty, or gets ``width`` numbers for each two features,
        where the first has the smaller index. If the steps are used up, the result is negative, and ``out`` is wrong.
        """
        self.truths, self.out, self.steps = view(truths), view(out), steps
        self.pairs, self.paired = view(pairs), len(pairs) > 0
        word: Size
        one: cython.ulonglong = 1
        for word in range(self.words):
            left: Size = self.size - 64 * word
            self.sets[word] = FULL if left >= 64 else (one << left) - 1
        self.walk(root, 0, 0, 0)
        return self.steps

    @cython.cfunc
    @cython.exceptval(check=False)
    def walk(self, node: Size, level: Size, own: Size, other: Size) -> cython.void:
        """Follow the record and a set of background records to all ends that they reach together."""
        rows: Size = 2 * level * self.words
        part: Size = rows + self.words
        k: Size
        while node >= 0:
            self.steps -= 1
            if self.steps < 0:
                return
            literal: Size = self.nodes[3 * node]
            holds: cython.bint = self.truths[literal]
            here: Size = self.nodes[3 * node + 1] if holds else self.nodes[3 * node + 2]
            there: Size = self.nodes[3 * node + 2] if holds else self.nodes[3 * node + 1]
            feature: Size = self.features[literal]
            if self.origin[feature] == 1:  # taken from the record
                node = here
                continue
            flip: cython.ulonglong = FULL if holds else 0
            differ: cython.ulonglong = 0
            agree: cython.ulonglong = 0
            for k in range(self.words):
                self.sets[part + k] = self.sets[rows + k] & (self.held[literal * self.words + k] ^ flip)
                differ |= self.sets[part + k]
                agree |= self.sets[rows + k] ^ self.sets[part + k]
            if differ == 0:
                node = here
                continue
            if self.origin[feature] == 2 and agree == 0:
                node = there
                continue
            if level >= self.levels or own + other >= self.most:
                self.steps = -1
                return
            if self.origin[feature] == 2:  # taken from the background
                self.walk_part(part, there, level, own, other)
            else:
                self.origin[feature] = 1
                self.own[own] = feature
                self.walk_part(part, here, level, own + 1, other)
                self.origin[feature] = 2
                self.other[other] = feature
                self.walk_part(part, there, level, own, other + 1)
                self.origin[feature] = 0
                if agree == 0:
                    return
            for k in range(self.words):
                self.sets[rows + k] ^= self.sets[part + k]
            node = here
        if own + other > 0:
            self.give(-1 - node, rows, own, other)

    @cython.cfunc
    @cython.exceptval(check=False)
    def walk_part(self, part: Size, node: Size, level: Size, own: Size, other: Size) -> cython.void:
        """Walk on with a part of the background, one level deeper."""
        k: Size
        for k in range(self.words):
            self.sets[part + self.words + k] = self.sets[part + k]
        self.walk(node, level + 1, own, other)

    @cython.cfunc
    @cython.exceptval(check=False)
    def give(self, end: Size, rows: Size, own: Size, other: Size) -> cython.void:
        """Share the points of an end among the features on the way to it."""
        count: Size = 0
        k: Size
        column: Size
        for k in range(self.words):
            if cython.compiled:
                count += unless_ones(self.sets[rows + k])
            else:
                count += self.sets[rows + k].bit_count()
        for column in range(self.width):
            points: cython.double = self.points[end * self.width + column] * count / self.size
            if own:
                share: cython.double = points * self.shares[(own - 1) * self.most + other]
                for k in range(own):
                    self.out[self.own[k] * self.width + column] += share
            if other:
                share = points * self.shares[own * self.most + other - 1]
                for k in range(other):
                    self.out[self.other[k] * self.width + column] -= share
            if self.paired:
                self.give_pairs(points, own, other, column)

    @cython.cfunc
    @cython.exceptval(check=False)
    def give_pairs(self, points: cython.double, own: Size, other: Size, column: Size) -> cython.void:
        """Share the points of an end among the pairs of the features on the way to it."""
        k: Size
        j: Size
        share: cython.double
        if own > 1:
            share = points * self.shares[(own - 2) * self.most + other]
            for k in range(own):
                for j in range(k):
                    self.pairs[self.pair(self.own[j], self.own[k]) + column] += share
        if other > 1:
            share = points * self.shares[own * self.most + other - 2]
            for k in range(other):
                for j in range(k):
                    self.pairs[self.pair(self.other[j], self.other[k]) + column] += share
        if own and other:
            share = points * self.shares[(own - 1) * self.most + other - 1]
            for k in range(own):
                for j in range(other):
                    self.pairs[self.pair(self.own[k], self.other[j]) + column] -= share

    @cython.cfunc
    @cython.exceptval(check=False)
    def pair(self, one: Size, two: Size) -> Size:
        """Return where the numbers of two features begin in ``pairs``."""
        if one > two:
            one, two = two, one
        return (one * self.count + two) * self.width
