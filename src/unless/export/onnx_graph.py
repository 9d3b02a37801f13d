"""Build ONNX graphs, and conditions as nodes; equal nodes are made once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from unless import __version__
from unless.rule import Literal, Program
from unless.table import SpecialCodes

_OPSET, _IR = 19, 9
"""The first operators that compare texts; onnxruntime has them since 1.16."""

_ROWS = "records"


def utf8_bytes(text: str) -> bytes | None:
    """Return a text as UTF-8, None if UTF-8 cannot hold it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


class GraphOutput(NamedTuple):
    """An output: its name, its position in the graph, its type, and its shape without records."""

    name: str
    inner: str
    kind: int
    shape: tuple[int, ...]


@dataclass
class OnnxGraph:
    """A graph under construction. Equal constants and nodes are made once; inner values have one axis, records."""

    names: set[str]
    """The names that are taken."""
    inputs: list[Any] = field(default_factory=list)
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    known: dict[Any, str] = field(default_factory=dict)

    def input(self, name: str, kind: int) -> str:
        """Add an input; return the name of its values without the second axis."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, [_ROWS, 1]))
        return self.node("Squeeze", name, self.constant(np.array([1])))

    def constant(self, array: NDArray[Any]) -> str:
        """Add a constant; return its name."""
        if array.dtype == object:
            key: Any = ("texts", array.shape, tuple(array.tolist()))
        else:
            key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.known:
            name = self.known[key] = self._new_name()
            if array.dtype == object:
                texts = [text.encode() for text in array.tolist()]
                self.constants.append(helper.make_tensor(name, TensorProto.STRING, array.shape, texts))
            else:
                self.constants.append(numpy_helper.from_array(array, name))
        return self.known[key]

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        key = (op, inputs, tuple(attributes.items()))
        if key not in self.known:
            name = self.known[key] = self._new_name()
            self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return self.known[key]

    def same_for_all(self, number: int) -> str:
        """Return a tensor with one number for every record."""
        first = self.nodes[0].output[0]  # an input without its second axis
        return self.node("Expand", self.constant(np.array([number])), self.node("Shape", first))

    def to_model(self, outputs: Iterable[GraphOutput], rules: Program) -> ModelProto:
        """Build the whole model; an output with the name of an input gets underscores after its name."""
        said = []
        for name, inner, kind, shape in outputs:
            while name in self.names:
                name += "_"  # noqa: PLW2901 - the same output
            self.names.add(name)
            self.nodes.append(helper.make_node("Identity", [inner], [name]))
            said.append(helper.make_tensor_value_info(name, kind, [_ROWS, *shape]))
        graph = helper.make_graph(self.nodes, "unless", self.inputs, said, self.constants)
        graph.doc_string = str(rules).encode("utf-8", "backslashreplace").decode()
        opsets = [helper.make_opsetid("", _OPSET)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR, producer_name="unless", producer_version=__version__
        )

    def _new_name(self) -> str:
        name = f"_{len(self.known)}"
        while name in self.names:
            name += "_"
        self.names.add(name)
        return name


@dataclass(frozen=True, slots=True)
class OnnxWriter:
    """Writes conditions as nodes: truth values for all records."""

    graph: OnnxGraph
    inputs: Mapping[str, tuple[str | None, str | None]]
    missing: str
    special: Mapping[str, SpecialCodes] = field(default_factory=dict)
    """The numbers of some features that name a category."""

    def test(self, literal: Literal, *, sure: bool) -> str | bool:
        """Write the truth of a literal; comparisons with NaN are false."""
        del sure  # nothing is ever unknown
        found, numbers = self._test_value(literal), self.inputs[literal.feature][0]
        codes = () if numbers is None else self.special.get(literal.feature, ())
        if isinstance(literal.value, float):  # a code is no number
            others = [self.negation(self._is_number(numbers, code)) for code, _ in codes if literal.holds(code)]
            return found if isinstance(found, bool) else self.conjunction([found, *others])
        named = next((self._is_number(numbers, code) for code, name in codes if name == literal.value), None)
        if named is None:
            return found
        if literal.op == "==":
            return named if isinstance(found, bool) else self.graph.node("Or", found, named)
        return self.negation(named) if isinstance(found, bool) else self.conjunction([found, self.negation(named)])

    def _test_value(self, literal: Literal) -> str | bool:
        """Write the truth of a literal on a feature without special codes."""
        numbers, texts = self.inputs[literal.feature]
        match literal.op, literal.value:
            case (("<=" | ">"), float(bound)):
                op = "LessOrEqual" if literal.op == "<=" else "Greater"
                return numbers is not None and self.graph.node(op, numbers, self.graph.constant(np.array([bound])))
            case (("==" | "!="), str(category)):
                if texts is None or utf8_bytes(category) is None:
                    return literal.op == "!="
                equal = self._is(texts, category)
                return equal if literal.op == "==" else self.negation(equal)
        gone = self._missing(numbers, texts)
        return gone if literal.op == "missing" else self.negation(gone)

    def conjunction(self, parts: Sequence[str]) -> str:
        """Write that every part holds."""
        found, *others = parts
        for part in others:
            found = self.graph.node("And", found, part)
        return found

    def negation(self, part: str) -> str:
        """Write that the part does not hold."""
        return self.graph.node("Not", part)

    def first_failing(self, gates: Sequence[tuple[str, bool]], *, otherwise: bool) -> Any:
        """Write the truth value paired with the first gate that fails."""
        found: str | bool = otherwise
        for gate, truth in reversed(gates):
            if isinstance(found, bool):
                found = found if found == truth else gate if found else self.negation(gate)
            elif truth:
                found = self.graph.node("Or", self.negation(gate), found)
            else:
                found = self.graph.node("And", gate, found)
        return found

    def _is_number(self, numbers: str | None, code: float) -> str:
        return self.graph.node("Equal", str(numbers), self.graph.constant(np.array([code])))

    def _is(self, texts: str, text: str) -> str:
        return self.graph.node("Equal", texts, self.graph.constant(np.array([text], dtype=object)))

    def _missing(self, numbers: str | None, texts: str | None) -> str:
        gone = [] if numbers is None else [self.graph.node("IsNaN", numbers)]
        return self.conjunction([*gone, *([] if texts is None else [self._is(texts, self.missing)])])
