"""Our own learner, transcribed from its description: slow and obvious. The fast one is compared with this.

Examples are lists of (record, label), as in `naive`. Sets are lists, coverage is evaluated literal by literal. The
number of values to choose from is the stand-in of the description: over all features, the distinct values in the
training examples, but no more than the examples at hand.
"""

from __future__ import annotations

from math import inf, log, sqrt

from tests.reference.naive import candidate_literals, covers
from unless import Program, Rule


def fold_unless(target, features, examples, ratio=0.75, penalty=1.0, min_support=3):
    """An ordered list of rules; the last one covers every record."""
    learner = Learner(features, examples, ratio, penalty, min_support)
    rules, aside = [], {}
    while len(classes_of(examples)) > 1:
        candidates = [label for label in classes_of(examples) if label not in aside]
        if not candidates:
            if all(before == len(examples) for before in aside.values()):
                break
            aside = {label: before for label, before in aside.items() if before == len(examples)}
            continue
        most = max(candidates, key=lambda label: count(examples, label))
        positive = [example for example in examples if example[1] == most]
        negative = [example for example in examples if example[1] != most]
        rule = learner.rule(positive, negative)
        if rule is None or not learner.enough(rule, positive, negative):
            aside[most] = len(examples)
            continue
        rules.append(Rule(most, rule.default, rule.exceptions))
        examples = without(examples, rule)
        aside = {label: before for label, before in aside.items() if len(examples) > 0.9 * before}
    last = max(classes_of(examples), key=lambda label: count(examples, label)) if examples else rules[-1].head
    while rules and rules[-1].head == last:
        rules.pop()
    return Program(target, features, (*rules, Rule(last)))


class Learner:
    """The parameters, and the steps that use them."""

    def __init__(self, features, examples, ratio, penalty, min_support):
        self.features = features
        self.ratio, self.penalty, self.min_support = ratio, penalty, min_support
        self.distinct = [len({record[feature] for record, _ in examples}) for feature in features]

    def rule(self, positive, negative):
        """A rule for positives against negatives, or None."""
        body, general = [], False
        while not general and not (body and not negative):
            literal = self.purest(positive, negative)
            if literal is None or self.gain(literal, positive, negative) < self.toll(positive, negative):
                break
            body.append(literal)
            positive, negative = holding(positive, literal), holding(negative, literal)
            general = len(negative) <= self.ratio * len(positive)
        if not body:
            return None
        exceptions = self.exceptions(negative, positive) if general and negative else []
        return Rule(None, tuple(without_implied(body)), tuple(exceptions))

    def exceptions(self, positive, negative):
        """Rules for positives against negatives, which stay whole."""
        rules = []
        while len(positive) >= self.min_support:
            rule = self.rule(positive, negative)
            if rule is None or not self.enough(rule, positive, negative):
                break
            rules.append(rule)
            positive = without(positive, rule)
        return rules

    def enough(self, rule, positive, negative):
        """Whether a rule covers enough positives, and more of them than negatives."""
        true, false = (len(some) - len(without(some, rule)) for some in (positive, negative))
        return true >= self.min_support and true > 0 and true > false

    def purest(self, positive, negative):
        """The first literal with the least impurity that covers enough positives, and raises their share."""
        best, least = None, inf
        for feature in self.features:
            for literal in candidate_literals(feature, positive + negative):
                tp, fp = len(holding(positive, literal)), len(holding(negative, literal))
                fn, tn = len(positive) - tp, len(negative) - fp
                if tp == 0 or tp < self.min_support or tp * len(negative) <= fp * len(positive):
                    continue
                impurity = sqrt(tp * fp) + sqrt(fn * tn)
                if impurity < least:
                    best, least = literal, impurity
        return best

    def gain(self, literal, positive, negative):
        """Twice the examples times what the literal tells about the class."""
        p, n, tp, fp = len(positive), len(negative), len(holding(positive, literal)), len(holding(negative, literal))
        return 2 * (surprise(p, n) - surprise(tp, fp) - surprise(p - tp, n - fp))

    def toll(self, positive, negative):
        """What the best of as many random literals would tell."""
        values = sum(min(distinct, len(positive) + len(negative)) for distinct in self.distinct)
        return self.penalty * log(2 * values + 1)


def surprise(p, n):
    """The entropy of positives and negatives, times their number."""
    return -sum(part * log(part / (p + n)) for part in (p, n) if part)


def without_implied(body):
    """The literals that do not follow from the others: the first of equal ones, the tightest of bounds."""
    kept = []
    for place, literal in enumerate(body):
        others = [other for k, other in enumerate(body) if k != place and (other != literal or k < place)]
        if not any(other.implies(literal) for other in others):
            kept.append(literal)
    return kept


def holding(examples, literal):
    """The examples for which a literal is true."""
    return [example for example in examples if literal.holds(example[0][literal.feature])]


def without(examples, rule):
    """The examples that a rule does not cover."""
    return [example for example in examples if not covers(rule, example[0])]


def classes_of(examples):
    """The labels that occur, sorted."""
    return sorted({label for _, label in examples})


def count(examples, label):
    """How many examples have a label."""
    return sum(other == label for _, other in examples)
