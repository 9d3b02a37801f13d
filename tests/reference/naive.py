"""The paper, transcribed: slow and obvious. Every fast learner is compared with this.

Examples are lists of (record, label), a record maps features to a float, a text or None. Sets are lists, coverage is
evaluated literal by literal. Only what the paper leaves open is settled here as in the package: the natural logarithm,
the order that breaks ties, and that a rule's own values count as used.
"""

from __future__ import annotations

from math import inf, log

from unless import Literal, Program, Rule


def information_gain(tp, fn, tn, fp):
    """Algorithm 1."""
    if fp + fn > tp + tn:
        return -inf
    total = tp + fn + tn + fp
    gain = 0.0
    if tp > 0:
        gain += tp / total * log(tp / (tp + fp))
    if fp > 0:
        gain += fp / total * log(fp / (tp + fp))
    if tn > 0:
        gain += tn / total * log(tn / (tn + fn))
    if fn > 0:
        gain += fn / total * log(fn / (tn + fn))
    return gain


def candidate_literals(feature, examples):
    """Both literals on every value that a feature has in the examples, in the order that breaks ties."""
    values = {record[feature] for record, _ in examples}
    for number in sorted(value for value in values if isinstance(value, float)):
        yield Literal(feature, "<=", number)
        yield Literal(feature, ">", number)
    for category in sorted(value for value in values if isinstance(value, str)):
        yield Literal(feature, "==", category)
        yield Literal(feature, "!=", category)
    if None in values:
        yield Literal(feature, "missing")
        yield Literal(feature, "present")


def find_best_literal(features, positive, negative, used):
    """Algorithm 2."""
    best_gain, best = -inf, None
    for feature in features:
        for literal in candidate_literals(feature, positive + negative):
            if any((literal.feature, literal.value) == (other.feature, other.value) for other in used):
                continue
            tp = sum(literal.holds(record[feature]) for record, _ in positive)
            fp = sum(literal.holds(record[feature]) for record, _ in negative)
            gain = information_gain(tp, len(positive) - tp, len(negative) - fp, fp)
            if best_gain < gain:
                best_gain, best = gain, literal
    return best


def covers(rule, record):
    """Whether every default literal holds and no exception covers."""
    if not all(literal.holds(record[literal.feature]) for literal in rule.default):
        return False
    return not any(covers(exception, record) for exception in rule.exceptions)


def learn_rule(features, positive, negative, ratio, used):
    """Algorithm 3, learn_rule."""
    default = []
    while True:
        literal = find_best_literal(features, positive, negative, used + default)
        if literal is None:
            return Rule(None, tuple(default))
        default.append(literal)
        positive = [example for example in positive if literal.holds(example[0][literal.feature])]
        negative = [example for example in negative if literal.holds(example[0][literal.feature])]
        if len(negative) <= len(positive) * ratio:
            exceptions = learn_rules(features, negative, positive, ratio, used + default)
            return Rule(None, tuple(default), tuple(exceptions))


def learn_rules(features, positive, negative, ratio, used):
    """Algorithm 3, fold_rpp."""
    rules = []
    while positive:
        rule = learn_rule(features, positive, negative, ratio, used)
        uncovered = [example for example in positive if not covers(rule, example[0])]
        if len(uncovered) == len(positive):
            break
        positive = uncovered
        rules.append(rule)
    return rules


def fold_rpp(target, features, examples, positive, ratio):
    """FOLD-R++ on a label."""
    yes = [example for example in examples if example[1] == positive]
    no = [example for example in examples if example[1] != positive]
    others = sorted({label for _, label in no})
    rules = [Rule(positive, rule.default, rule.exceptions) for rule in learn_rules(features, yes, no, ratio, [])]
    return Program(target, features, tuple(rules), others[0] if len(others) == 1 else None)


def fold_rm(target, features, examples, ratio):
    """Algorithm 4."""
    rules = []
    while examples:
        labels = sorted({label for _, label in examples})
        most = max(labels, key=lambda label: sum(other == label for _, other in examples))
        positive = [example for example in examples if example[1] == most]
        negative = [example for example in examples if example[1] != most]
        rule = learn_rule(features, positive, negative, ratio, [])
        if not any(covers(rule, record) for record, _ in positive):
            break
        examples = [example for example in examples if not covers(rule, example[0])]
        rules.append(Rule(most, rule.default, rule.exceptions))
    return Program(target, features, tuple(rules))
