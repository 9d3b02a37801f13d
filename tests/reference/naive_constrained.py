"""The learners under constraints, transcribed from docs/constraints.md: slow and obvious.

Examples are lists of (record, label), as in `naive`. What may be where is said literal by literal, from the words of
the constraints; nothing is computed before.
"""

from __future__ import annotations

from math import inf

from tests.reference import naive
from tests.reference.naive import candidate_literals, covers, information_gain
from tests.reference.naive_unless import Learner as Plain
from tests.reference.naive_unless import classes_of, count, holding, without, without_implied
from unless import Constraints, Literal, Program, Rule

DEEP = 10**6


def may(constraints, label, level, beside, literal):
    """Whether a literal may be at a level of a rule for a label that tests other features already."""
    feature = literal.feature
    if constraints.no_negation and literal.op in ("!=", "present"):
        return False
    if feature in constraints.never or (level == 1 and feature in constraints.only_exceptions):
        return False
    if any(feature in pair and (set(pair) - {feature}) & beside for pair in constraints.apart):
        return False
    for wish in constraints.monotone:
        if wish.feature == feature and literal.op in ("<=", ">"):
            covers_less_with_more = (wish.label == label) == (wish.direction == "more")
            wants_small = covers_less_with_more == (level % 2 == 1)
            if (literal.op == "<=") != wants_small:
                return False
    return True


def candidates(constraints, feature, examples):
    """The literals on a feature, in the order that breaks ties: at the given cuts, if there are some."""
    cuts = dict(constraints.only_cuts).get(feature)
    if cuts is None:
        yield from candidate_literals(feature, examples)
        return
    numbers = [record[feature] for record, _ in examples if isinstance(record[feature], float)]
    for cut in sorted(cuts):
        if any(number <= cut for number in numbers) and any(number > cut for number in numbers):
            yield Literal(feature, "<=", cut)
            yield Literal(feature, ">", cut)
    yield from (literal for literal in candidate_literals(feature, examples) if literal.op not in ("<=", ">"))


def values_of(constraints, feature, examples):
    """How many values literals on a feature may have: those in the examples, or the cuts and missing."""
    values = {record[feature] for record, _ in examples}
    if feature in constraints.never:
        return 0
    if feature in dict(constraints.only_cuts) and not any(isinstance(value, str) for value in values):
        return min(len(values), len(dict(constraints.only_cuts)[feature]) + 1)
    return len(values)


def tested(*rules):
    """The features of rules."""
    return {literal.feature for rule in rules for literal in rule.literals()}


class Fold:
    """FOLD-R++ and FOLD-RM under constraints."""

    def __init__(self, features, ratio, constraints):
        self.features, self.ratio, self.constraints = features, ratio, constraints
        self.most = inf if constraints.max_literals is None else constraints.max_literals
        self.levels = DEEP if constraints.max_depth is None else constraints.max_depth + 1

    def best(self, positive, negative, used, label, level, beside):
        """Algorithm 2, without what may not be there."""
        best_gain, best = -inf, None
        for feature in self.features:
            for literal in candidates(self.constraints, feature, positive + negative):
                if any((literal.feature, literal.value) == (other.feature, other.value) for other in used):
                    continue
                if not may(self.constraints, label, level, beside, literal):
                    continue
                tp, fp = len(holding(positive, literal)), len(holding(negative, literal))
                gain = information_gain(tp, len(positive) - tp, len(negative) - fp, fp)
                if best_gain < gain:
                    best_gain, best = gain, literal
        return best

    def rule(self, positive, negative, used, label, level=1, beside=frozenset()):
        """A rule; None without literals."""
        default, ratio = [], self.ratio if level < self.levels else 0.0
        while True:
            here = beside | {literal.feature for literal in default}
            literal = self.best(positive, negative, used + default, label, level, here)
            if literal is None:
                return Rule(None, tuple(default)) if default else None
            default.append(literal)
            positive, negative = holding(positive, literal), holding(negative, literal)
            if len(default) >= self.most or len(negative) <= len(positive) * ratio:
                if level == self.levels:
                    return Rule(None, tuple(default))
                here = beside | {literal.feature for literal in default}
                inner = self.rules(negative, positive, used + default, label, level + 1, here)
                return Rule(None, tuple(default), tuple(inner))

    def rules(self, positive, negative, used, label, level, beside):
        """Rules for positives against negatives."""
        rules = []
        while positive:
            rule = self.rule(positive, negative, used, label, level, beside | tested(*rules))
            if rule is None or len(left := without(positive, rule)) == len(positive):
                break
            positive = left
            rules.append(rule)
        return rules


def fold_rpp(target, features, examples, positive, ratio, constraints):
    """FOLD-R++ on a label; each rule has a place of its own. Without constraints it is as published."""
    if constraints == Constraints():
        return naive.fold_rpp(target, features, examples, positive, ratio)
    learner = Fold(features, ratio, constraints)
    yes = [example for example in examples if example[1] == positive]
    no = [example for example in examples if example[1] != positive]
    others, rules = classes_of(no), []
    while yes:
        rule = learner.rule(yes, no, [], positive)
        if rule is None or len(left := without(yes, rule)) == len(yes):
            break
        yes = left
        rules.append(Rule(positive, rule.default, rule.exceptions))
    return Program(target, features, tuple(rules), others[0] if len(others) == 1 else None)


def fold_rm(target, features, examples, ratio, constraints):
    """FOLD-RM; a label without a rule is put aside until there is another rule. Without constraints as published."""
    if constraints == Constraints():
        return naive.fold_rm(target, features, examples, ratio)
    learner, rules, aside = Fold(features, ratio, constraints), [], set()
    while labels := [label for label in classes_of(examples) if label not in aside]:
        most = max(labels, key=lambda label: count(examples, label))
        positive = [example for example in examples if example[1] == most]
        negative = [example for example in examples if example[1] != most]
        rule = learner.rule(positive, negative, [], most)
        if rule is None or not any(covers(rule, record) for record, _ in positive):
            aside.add(most)
            continue
        aside = set()
        examples = without(examples, rule)
        rules.append(Rule(most, rule.default, rule.exceptions))
    return Program(target, features, tuple(rules))


class Own(Plain):
    """Our own learner, rule by rule, under constraints."""

    def __init__(self, features, examples, ratio, penalty, min_support, constraints):
        super().__init__(features, examples, ratio, penalty, min_support)
        self.constraints, self.place = constraints, None
        self.distinct = [values_of(constraints, name, examples) for name in features]
        self.most = inf if constraints.max_literals is None else constraints.max_literals
        self.levels = DEEP if constraints.max_depth is None else constraints.max_depth + 1

    def grow(self, positive, negative, label, level=1, beside=frozenset()):
        """A rule for positives against negatives, or None."""
        body, general, ratio = [], False, self.ratio if level < self.levels else 0.0
        while not general and not (body and not negative):
            self.place = label, level, beside | {literal.feature for literal in body}
            literal = self.purest(positive, negative)
            if literal is None or self.gain(literal, positive, negative) < self.toll(positive, negative):
                break
            body.append(literal)
            positive, negative = holding(positive, literal), holding(negative, literal)
            general = len(body) >= self.most or len(negative) <= ratio * len(positive)
        if not body:
            return None
        exceptions = []
        if general and negative and level < self.levels:
            here = beside | {literal.feature for literal in body}
            left = negative
            while len(left) >= self.min_support:
                rule = self.grow(left, positive, label, level + 1, here | tested(*exceptions))
                if rule is None or not self.enough(rule, left, positive):
                    break
                exceptions.append(rule)
                left = without(left, rule)
        return Rule(None, tuple(without_implied(body)), tuple(exceptions))

    def purest(self, positive, negative):
        """The purest literal that may be in the place."""
        features = self.features
        best, least = None, inf
        for feature in features:
            for literal in candidates(self.constraints, feature, positive + negative):
                tp, fp = len(holding(positive, literal)), len(holding(negative, literal))
                if tp == 0 or tp < self.min_support or tp * len(negative) <= fp * len(positive):
                    continue
                if not may(self.constraints, *self.place, literal):
                    continue
                impurity = (tp * fp) ** 0.5 + ((len(positive) - tp) * (len(negative) - fp)) ** 0.5
                if impurity < least:
                    best, least = literal, impurity
        return best


def fold_unless(target, features, examples, constraints, *, ratio=0.75, penalty=1.0, min_support=3):
    """Our own learner, rule by rule."""
    learner = Own(features, examples, ratio, penalty, min_support, constraints)
    rules, aside = [], set()
    while len(classes_of(examples)) > 1:
        candidates = [label for label in classes_of(examples) if label not in aside]
        if not candidates:
            break
        most = max(candidates, key=lambda label: count(examples, label))
        positive = [example for example in examples if example[1] == most]
        negative = [example for example in examples if example[1] != most]
        rule = learner.grow(positive, negative, most)
        if rule is None or not learner.enough(rule, positive, negative):
            aside.add(most)
            continue
        aside = set()
        rules.append(Rule(most, rule.default, rule.exceptions))
        examples = without(examples, rule)
    last = max(classes_of(examples), key=lambda label: count(examples, label)) if examples else rules[-1].head
    while rules and rules[-1].head == last:
        rules.pop()
    return Program(target, features, (*rules, Rule(last)))
