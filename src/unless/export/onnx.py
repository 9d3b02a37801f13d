"""Write models as ONNX graphs, which decide like `predict` wherever ONNX runs.

A feature of numbers is an input of doubles, NaN if the cell is missing; dates, times and durations are microseconds,
and levels of an order their positions. A feature of categories is an input of texts, with a chosen text for missing
cells. A feature with both has two inputs. Rules become a chain of choices. Points are whole numbers in doubles, which
add up exactly in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from unless.errors import ParameterError, ProgramError, UnknownNameError, suggest
from unless.export.conditions import decided_points, decisions, score_terms, writer_for
from unless.model import Model, decider_of, model_of, tests_of
from unless.model.costs import WHOLE
from unless.model.points import POINTS_PER_LOGIT
from unless.model.prediction import Decider, head_indices
from unless.read.table import read_table
from unless.rule import Literal, Program
from unless.score.committee import Committee
from unless.score.score_card import ScoreCard, point_columns
from unless.score.score_decider import ScoreDecider
from unless.table import Kind, SpecialCodes, Table
from unless.values import Label, number_to_text

try:
    from onnx import ModelProto, TensorProto, helper
except ImportError as error:  # an extra
    raise ImportError("ONNX graphs are made with onnx; install it with: pip install 'unless[onnx]'") from error
from unless.export.onnx_graph import GraphOutput, OnnxGraph, OnnxWriter, utf8_bytes


def to_onnx(model: Decider | Model, *, missing: str = "", columns: Mapping[str, Kind] | None = None) -> ModelProto:
    """Write a program or a model as an ONNX graph that gives the labels of `predict`, and the same probabilities.

    **Inputs**, each of the shape (records, 1), are the features that rules test. Numbers are doubles, NaN if they
    are missing; single precision would not be exact. Dates and times are microseconds since 1970-01-01 (in UTC), times
    of the day since midnight, durations microseconds, and ordered categories their positions from 0.
    Categories are texts, ``missing`` if they are missing; booleans are the texts ``True`` and ``False``.
    A special code stays the number that it is in the data.
    A feature with numbers and categories has two inputs, the second named
    like the first with `` (text)`` added: a number is in the first, with ``missing`` in the second; a text is in the
    second, with NaN in the first. `onnx_inputs` makes all inputs from records.

    **Outputs** are ``label`` (records), in the type of the labels; ``rule`` (records), the number of the deciding
    rule, from 1, and 0 if no rule decides; and for a model ``probabilities`` (records, labels), as in `predict_proba`.
    Committees, and models that decide by points or costs, have no ``rule``. If a program decides nothing, or a record
    is rejected, the label is an empty text or NaN; if labels are whole numbers or booleans, neither is possible, and
    the model cannot be written.

    Write it with ``onnx.save(to_onnx(model), path)``.

    Parameters
    ----------
    model
        A program, a committee, or a fitted model, which stores the kinds of its columns.
    missing
        The text that means a missing cell; no rule may name it as a category.
    columns
        The kinds of features, to override: ``number``, ``text`` or ``mixed``. By default a program shows what
        its features are compared with: numbers, texts, or both. A feature that is compared with numbers and tested
        for missing cells has both, since a text is not missing.
    """
    rules = tests_of(model)
    writers: Mapping[type, Callable[..., list[GraphOutput]]] = {
        Program: _list_outputs,
        Committee: _vote_outputs,
        ScoreDecider: _score_outputs,
    }
    write = writer_for(model, "ONNX", writers)
    kinds = _input_kinds(rules, model, columns or {})
    graph = OnnxGraph({*kinds, *map(_text_input_name, kinds)})
    writer = OnnxWriter(graph, _add_inputs(graph, rules, kinds), missing, _special_codes(model))
    _refuse_missing_text_in_rules(rules, missing)
    return graph.to_model(write(graph, writer, model_of(model)), decider_of(model).all_rules)


def onnx_inputs(
    model: Decider | Model,
    X: Any,  # noqa: N803 - as in scikit-learn
    *,
    missing: str = "",
    columns: Mapping[str, Kind] | None = None,
) -> dict[str, NDArray[Any]]:
    """Read `to_onnx`'s inputs from records (a frame, an array, a list of dicts, a file, a `Table`), as in training.

    ``missing`` and ``columns`` are the arguments that `to_onnx` had.

    Examples
    --------
    >>> from unless import Literal, Program, Rule
    >>> program = Program("y", ("age",), (Rule("old", (Literal("age", ">", 40.0),)),), "young")
    >>> onnx_inputs(program, [{"age": 41}, {"age": None}])
    {'age': array([[41.],
           [nan]])}
    """
    rules = tests_of(model)
    names = rules.used or rules.features[:1]
    if isinstance(X, np.ndarray):  # its columns are the features, in their order
        X = [dict(zip(rules.features, row, strict=True)) for row in X.tolist()]  # noqa: N806
    table = X if isinstance(X, Table) else read_table(X, like=model_of(model) or rules, features=names)
    found: dict[str, NDArray[Any]] = {}
    special = _special_codes(model)
    for name, kind in _input_kinds(rules, model, columns or {}).items():
        column = table.column(name).in_notation(rules.notations.get(name))
        if missing in column.categories and name in _features_tested_for_missing(rules):
            raise ParameterError(
                f"a cell of {name!r} is {missing!r}, so that cannot mean a missing cell; choose another text, here and "
                "in to_onnx: missing='<missing>'"
            )
        spelled = [number_to_text(number) if kind == "text" else missing for number in column.numbers.tolist()]
        codes = {text: code for code, text in special.get(name, ())} if kind != "text" else {}
        numbers = np.array([*column.numbers, *(codes.get(one, np.nan) for one in column.categories), np.nan])
        named = [missing if one in codes else one for one in column.categories]
        texts = np.array([*spelled, *named, missing], dtype=object)
        if kind != "text":
            found[name] = numbers[column.codes][:, np.newaxis]
        if kind != "number":
            found[name if kind == "text" else _text_input_name(name)] = texts[column.codes][:, np.newaxis]
    return found


def _special_codes(model: object) -> Mapping[str, SpecialCodes]:
    """Return the special codes of a model's features, which are among the numbers of its inputs."""
    trained = model_of(model)
    return {} if trained is None else trained.schema.special


def _input_kinds(rules: Program, model: object, given: Mapping[str, Kind]) -> dict[str, str]:
    """Find the kind of every input: as given, as in the model, or as literals show. A graph needs an input."""
    for feature, kind in given.items():
        if feature not in rules.features:
            raise UnknownNameError(f"columns= names {feature!r}, not a feature{suggest(feature, rules.features)}")
        if kind not in get_args(Kind):
            raise ParameterError(f"columns= says that {feature!r} is {kind!r}{suggest(kind, get_args(Kind))}")
    trained = model_of(model)
    known = {**({} if trained is None else trained.schema.kinds), **given}
    tested = rules.literals_by_feature() or {feature: [] for feature in rules.features[:1]}
    if not tested:
        raise ProgramError("the program has no features, and a graph needs an input; give it a feature")
    return {name: known.get(name) or _kind_shown_by(tests) for name, tests in tested.items()}


def _kind_shown_by(literals: Sequence[Literal]) -> str:
    """Find the kind of a feature with these literals; a literal without a value tests for missing cells."""
    numeric = [isinstance(literal.value, float) for literal in literals]
    return "text" if not any(numeric) else "number" if all(numeric) else "mixed"


def _features_tested_for_missing(rules: Program) -> set[str]:
    """Find the features that rules test for missing cells."""
    return {literal.feature for literal in rules.literals() if literal.value is None}


def _text_input_name(name: str) -> str:
    return f"{name} (text)"


def _add_inputs(graph: OnnxGraph, rules: Program, kinds: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """Add the inputs of every feature: its numbers and its texts."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for name, kind in kinds.items():
        if not name or utf8_bytes(name) is None or (kind == "mixed" and _text_input_name(name) in rules.features):
            raise ProgramError(f"no input of a graph can have the name {name!r}; rename the feature")
        numbers = None if kind == "text" else graph.input(name, TensorProto.DOUBLE)
        texts = name if kind == "text" else _text_input_name(name)
        found[name] = numbers, None if kind == "number" else graph.input(texts, TensorProto.STRING)
    return found


def _refuse_missing_text_in_rules(rules: Program, missing: str) -> None:
    if named := next((literal for literal in rules.literals() if literal.value == missing), None):
        raise ParameterError(
            f"a rule tests whether {named.feature!r} is {missing!r}, so that cannot mean a missing cell; "
            "choose another text: to_onnx(model, missing='<missing>')"
        )


def _list_outputs(rules: Program, graph: OnnxGraph, writer: OnnxWriter, trained: Model | None) -> list[GraphOutput]:
    """List the outputs of a program: label, number of the rule and, for a model, probabilities."""
    place = _deciding_rule(graph, writer, rules)
    used = {index for _, index in decisions(rules, writer)}
    numbers = np.append(np.arange(1, len(rules) + 1), 0)
    outputs = [_output("label", graph, _rule_labels(rules, used), place), _output("rule", graph, numbers, place)]
    if trained is None:
        return outputs
    if trained.card is None:
        return [*outputs, _output("probabilities", graph, trained.statistics.probabilities(), place)]
    points = _let_rule_label_lead(graph, trained.card, _sum_points(graph, trained.card, writer, place), place)
    return [*outputs, _probabilities(graph, points, len(trained.card.classes))]


def _vote_outputs(committee: Committee, graph: OnnxGraph, writer: OnnxWriter, _: Model | None) -> list[GraphOutput]:
    """List the outputs of a committee: label and probabilities, from the points of all lists."""
    total = _add_votes(committee, graph, writer)
    best = graph.node("ArgMax", total, axis=1, keepdims=0)  # the first of several
    classes = _label_array(committee.classes)
    return [_output("label", graph, classes, best), _probabilities(graph, total, len(classes))]


def _add_votes(committee: Committee, graph: OnnxGraph, writer: OnnxWriter) -> str:
    """Add up the points of all lists."""
    sums = [graph.constant(committee.base.astype(np.float64)[np.newaxis])]
    for program, points in zip(committee.lists, committee.points, strict=True):
        place = _deciding_rule(graph, writer, program)  # the last rule of a list covers every record
        sums.append(graph.node("Gather", graph.constant(points.astype(np.float64)), place))
    if not committee.lists:
        sums.append(graph.node("Gather", graph.constant(np.zeros((1, len(committee.classes)))), graph.same_for_all(0)))
    return graph.node("Sum", *sums)


def _score_outputs(decider: ScoreDecider, graph: OnnxGraph, writer: OnnxWriter, _: Model | None) -> list[GraphOutput]:
    """List the outputs of a model that decides by points or costs: label and probabilities."""
    if decider.costs.used:
        raise ParameterError(
            "costs that name a column of amounts cannot be written as ONNX; SQL, Python and JavaScript can"
        )
    score, count = decider.score, len(decider.classes)
    place = _deciding_rule(graph, writer, score.program) if isinstance(score, ScoreCard) else ""
    if isinstance(score, ScoreCard):
        points = _sum_points(graph, score, writer, place)
    else:
        points = _add_votes(score, graph, writer)
    chosen = points
    if decider.by == "score":
        chosen = graph.node("ArgMax", points, axis=1, keepdims=0)  # the first of several
    elif decider.by == "rules":
        heads = head_indices(decider.all_rules, decider.classes)
        chosen = graph.node("Gather", graph.constant(np.where(heads < 0, count, heads)), place)
    if decider.by == "costs" or decider.reject is not None:
        chosen = _choose_by_costs(decider, graph, points, chosen)
    labels = _label_array(_labels_and_nothing(decider.heads))
    return [_output("label", graph, labels, chosen), _probabilities(graph, points, count)]


def _choose_by_costs(decider: ScoreDecider, graph: OnnxGraph, points: str, chosen: str) -> str:
    """Choose the label of least expected cost, unless labels are chosen already, and reject what costs too much.

    The index after those of the labels is that of rejected records.
    """
    costs, count, axis = decider.costs, len(decider.classes), graph.constant(np.array([1]))
    share = graph.node("Mul", _odds(graph, points), graph.constant(np.array([float(WHOLE)])))
    odds = graph.node("Round", share)
    matrix = np.array(costs.whole_entries(costs.unit), np.float64)
    sums = graph.node("MatMul", odds, graph.constant(matrix))
    if decider.by == "costs":
        chosen = graph.node("ArgMin", sums, axis=1, keepdims=0)  # the first of several
    if decider.reject is None:
        return chosen
    price = graph.constant(np.array([decider.reject * costs.unit]))
    most = graph.node("Mul", price, graph.node("ReduceSum", odds, axis, keepdims=1))
    padded = graph.node("Concat", sums, most, axis=1)  # a record without a label costs no more than the price
    own = graph.node("GatherElements", padded, graph.node("Unsqueeze", chosen, axis), axis=1)
    dear = graph.node("Squeeze", graph.node("Greater", own, most), axis)
    return graph.node("Where", dear, graph.constant(np.array([count])), chosen)


def _deciding_rule(graph: OnnxGraph, writer: OnnxWriter, program: Program) -> str:
    """Compute the index of the deciding rule for each record, -1 if no rule decides."""
    found, steps = "", decisions(program, writer)
    for condition, index in reversed(list(steps)):
        place = -1 if index is None else index
        if condition is None:  # the last one
            found = graph.same_for_all(place)
        else:
            found = graph.node("Where", condition, graph.constant(np.array([place])), found)
    return found


def _sum_points(graph: OnnxGraph, card: ScoreCard, writer: OnnxWriter, place: str) -> str:
    """Add up the points of each label, before the label of the rules is made to lead."""
    always, some = score_terms(card, writer)
    own = np.zeros((len(card.program.rules) + 1, len(always)))
    for _, index in decisions(card.program, writer):
        own[-1 if index is None else index] = np.add(always, decided_points(card, index))
    total = graph.node("Gather", graph.constant(_all_points(own, card)), place)
    if not some:
        return total
    columns = [graph.node("Unsqueeze", condition, graph.constant(np.array([1]))) for condition, _ in some]
    truths = graph.node("Cast", graph.node("Concat", *columns, axis=1), to=TensorProto.DOUBLE)
    points = _all_points(np.array([points for _, points in some], np.float64), card)
    return graph.node("Add", total, graph.node("MatMul", truths, graph.constant(points)))


def _all_points(points: NDArray[np.float64], card: ScoreCard) -> NDArray[np.float64]:
    """Compute points for each label; with two labels, the first has no points."""
    return np.column_stack([np.zeros(len(points)), points]) if point_columns(card.classes) == 1 else points


def _let_rule_label_lead(graph: OnnxGraph, card: ScoreCard, totals: str, place: str) -> str:
    """Add just enough points for the label of the rules to lead."""
    heads = head_indices(card.program, card.classes)
    own = graph.node("Gather", graph.constant(heads[:, np.newaxis] == np.arange(len(card.classes))), place)
    others = graph.node("Where", own, graph.constant(np.array([-np.inf])), totals)
    rival = graph.node("ReduceMax", others, graph.constant(np.array([1])), keepdims=1)
    lead = graph.node("Max", totals, graph.node("Add", rival, graph.constant(np.array([1.0]))))
    return graph.node("Where", own, lead, totals)


def _probabilities(graph: OnnxGraph, points: str, labels: int) -> GraphOutput:
    """Compute the probability of each label: its share of the odds."""
    odds = _odds(graph, points)
    shares = graph.node("Div", odds, graph.node("ReduceSum", odds, graph.constant(np.array([1])), keepdims=1))
    return GraphOutput("probabilities", shares, TensorProto.DOUBLE, (labels,))


def _odds(graph: OnnxGraph, points: str) -> str:
    """Compute the odds of each label against the most probable one."""
    below = graph.node("Sub", points, graph.node("ReduceMax", points, graph.constant(np.array([1])), keepdims=1))
    return graph.node("Exp", graph.node("Div", below, graph.constant(np.array([float(POINTS_PER_LOGIT)]))))


def _output(name: str, graph: OnnxGraph, array: NDArray[Any], place: str) -> GraphOutput:
    """Add an output that selects a row of an array for every record."""
    kind = TensorProto.STRING if array.dtype == object else helper.np_dtype_to_tensor_dtype(array.dtype)
    return GraphOutput(name, graph.node("Gather", graph.constant(array), place), kind, array.shape[1:])


def _rule_labels(rules: Program, used: set[int | None]) -> NDArray[Any]:
    """Return the label of each rule and, last, the label of records that no rule decides."""
    if None in used:
        return _label_array(_labels_and_nothing(rules.heads))
    example = next((head for head in rules.heads if head is not None), "")
    return _label_array([example if head is None else head for head in rules.heads])


def _labels_and_nothing(heads: Sequence[Label | None]) -> list[Label]:
    """Return labels with an empty text or NaN for records without a label, if there are any."""
    if None not in heads:
        return [head for head in heads if head is not None]
    example = next((head for head in heads if head is not None), "")
    if not isinstance(example, str | float) or "" in heads:
        raise ProgramError(
            "the model leaves records without a label, and a graph has no label for them, only labels like "
            f"{example!r}; choose one, as by dataclasses.replace(program, otherwise={example!r}), or reject no record"
        )
    nothing: Label = float("nan") if isinstance(example, float) else ""
    return [nothing if head is None else head for head in heads]


def _label_array(labels: Iterable[Label]) -> NDArray[Any]:
    """Return labels as an array of their type."""
    found = list(labels)
    if any(isinstance(label, str) for label in found):
        for label in found:
            if utf8_bytes(str(label)) is None:
                raise ProgramError(f"ONNX cannot hold the label {label!r}; give the class another name")
        return np.array(found, dtype=object)
    array = np.array(found)
    if array.dtype.kind not in "bif":
        raise ProgramError(f"ONNX cannot hold the label {max(found, key=abs)!r}; make the labels text")  # type: ignore[arg-type]
    return array
