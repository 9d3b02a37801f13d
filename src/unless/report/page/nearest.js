/* What would change a decision: the nearest records with another label, exactly.

   This is the search of unless/explanation/counterfactuals, which explains it; order and answers are the same. A set of cells is
   a BigInt with a bit per cell; a point is a cell per axis. */

const { nextUp } = unless.engine;

/** The place in a sorted list of the first item that is not `before` the one we look for. */
function bisect(items, before) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(items[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first item with the smallest key; keys are lists of numbers. */
function least(items, key) {
  let [best, bestKey] = [items[0], key(items[0])];
  for (const item of items.slice(1)) {
    const found = key(item);
    if (compareLists(found, bestKey) < 0) [best, bestKey] = [item, found];
  }
  return best;
}

/** The order of lists of numbers: by the first difference, else the shorter first. */
function compareLists(one, other) {
  const shared = Math.min(one.length, other.length);
  for (let k = 0; k < shared; k++) if (one[k] !== other[k]) return one[k] < other[k] ? -1 : 1;
  return one.length - other.length;
}

/** What a feature may become: numbers from `least` to `last`, categories, missing. A number that changes by `scale`
    has distance 1. */
function allowedValues({ low, high, categories, notation, special = [] }, named, numeric, missing) {
  const seen = low !== null && low !== undefined;
  const codes = new Map(special); // a special code says why there is no number: it is not offered
  const common = { missing, notation, codes, least: -Infinity, last: Infinity, ...boundsOf(notation) };
  if (!seen && !categories.length) return { ...common, numbers: numeric, categories: new Set(named), scale: 1 };
  const width = seen ? high - low : 0;
  const scale = Number.isFinite(width) && width ? width : 1;
  const names = new Set(codes.values());
  const offered = categories.filter((category) => !names.has(category));
  return { ...common, numbers: seen, categories: new Set(offered), scale };
}

/** All numbers that a feature can have: flags are 0 or 1, and an order ends with its last level. */
function boundsOf(notation) {
  if (notation && notation.levels) return { least: 0, last: notation.levels.length - 1 };
  return notation && notation.name === "flag" ? { least: 0, last: 1 } : {};
}

/** The largest value of a notation that is at most a bound. */
const atMost = (notation, bound) =>
  notation && Number.isFinite(bound) ? Math.floor(bound / notation.step) * notation.step + 0 : bound;

/** The least value of a notation above a bound: a whole number, a date, or else the next number. */
const above = (notation, bound) =>
  notation ? Math.max(atMost(notation, bound) + notation.step, nextUp(bound)) : nextUp(bound);

/** A set of cells in words of 32 bits. */
function wordsOf(cells, size) {
  const count = (size + 31) >> 5;
  const digits = cells.toString(16).padStart(8 * count, "0");
  return Uint32Array.from({ length: count }, (_, k) =>
    parseInt(digits.slice(8 * (count - 1 - k), 8 * (count - k)), 16),
  );
}

/** Whether a test holds at a cell. */
const holdsAt = ({ words }, cell) => (words[cell >> 5] >>> (cell & 31)) & 1;

/** The cells of one feature: intervals between thresholds, named categories, any other category, missing. */
class Axis {
  constructor(place, value, thresholds, named, allowed) {
    Object.assign(this, { place, value, thresholds, named, size: thresholds.length + named.length + 3 });
    this.bits = Array.from({ length: this.size }, (_, cell) => 1n << BigInt(cell));
    this.names = new Map(named.map((category, k) => [category, thresholds.length + 1 + k]));
    this.home = this.cellOf(value);
    this.offers = this.makeOffers(allowed);
    this.free = this.offers.some((offer) => offer !== null);
    this.cells = this.offers.reduce(
      (cells, offer, k) => (offer ? cells | this.bits[k] : cells),
      this.bits[this.home],
    );
    this.sets = new Map();
    this.best = new Map();
  }

  /** The cell of a value. */
  cellOf(value) {
    if (typeof value === "number") return bisect(this.thresholds, (threshold) => threshold < value);
    if (value === null) return this.size - 1;
    return this.names.has(value) ? this.names.get(value) : this.size - 2;
  }

  /** The value to take in each cell; null if no value is allowed there, and at home. */
  makeOffers(allowed) {
    if (!allowed) return new Array(this.size).fill(null);
    const only = (value) => ({ value, distance: 1, how: "is", bound: null });
    const numbers = [...this.thresholds, null].map((_, cell) =>
      allowed.numbers ? this.number(cell, allowed) : null,
    );
    const named = this.named.map((category) => (allowed.categories.has(category) ? only(category) : null));
    const others = [...allowed.categories]
      .filter((category) => !this.names.has(category))
      .sort(unless.engine.compareTexts);
    const other = others.length ? only(others[0]) : null;
    const offers = [...numbers, ...named, other, allowed.missing ? only(null) : null];
    return offers.map((offer, cell) => (cell === this.home ? null : offer));
  }

  /** The offer of the interval between two thresholds. */
  number(cell, { notation, codes, least, last, scale }) {
    const lower = cell ? this.thresholds[cell - 1] : null;
    const upper = cell < this.thresholds.length ? this.thresholds[cell] : null;
    let start = lower === null ? least : Math.max(least, above(notation, lower));
    let end = upper === null ? last : Math.min(last, atMost(notation, upper));
    if (start > end || (lower !== null && start <= lower)) return null;
    const wasNumber = typeof this.value === "number";
    let value = nearestNumber(this.value, start, end);
    while (codes.has(value) && start <= end) {
      // the next number beside a special code
      if (!wasNumber || this.value <= value) start = above(notation, value);
      else end = notation ? value - notation.step : -nextUp(-value) + 0;
      value = nearestNumber(this.value, start, end);
    }
    if (!Number.isFinite(value) || start > end) return null;
    const falls = wasNumber && this.value > value; // of 8, "above 5" holds already
    const distance = wasNumber ? Math.abs(value - this.value) / scale : 1;
    const offer = { value, distance, how: "is", bound: null };
    if (notation && notation.name === "flag") return offer;
    if (lower !== null && !falls && value === above(notation, lower) && value > least)
      return { ...offer, how: "above", bound: lower };
    const most = upper !== null && (falls || lower === null) && value === atMost(notation, upper);
    return most ? { ...offer, how: "at most", bound: upper } : offer;
  }

  /** The distance of an allowed cell. */
  distance(cell) {
    return this.offers[cell] ? this.offers[cell].distance : 0;
  }

  /** The allowed cells beyond "above" or "at most" a bound, nearest first: where each begins, and its number. */
  further({ value, how }) {
    if (how === "is") return [];
    const up = how === "above" ? 1 : 0;
    const numbers = [...this.thresholds, Infinity];
    const cell = this.cellOf(value);
    const cells = [...numbers.keys()].filter((k) => (up ? k > cell : k < cell) && this.offers[k]);
    return (up ? cells : cells.reverse()).map((k) => ({ bound: numbers[k - up], number: numbers[k] }));
  }

  /** How many thresholds lie between the record's number and a cell: this breaks ties between equal distances. */
  steps(cell) {
    return Math.max(cell, this.home) <= this.thresholds.length ? Math.abs(cell - this.home) : 0;
  }

  /** The set of cells where a literal holds. */
  mask({ op, value }) {
    const everything = (1n << BigInt(this.size)) - 1n;
    const upTo = (bound) => (2n << BigInt(bisect(this.thresholds, (threshold) => threshold < bound))) - 1n;
    switch (op) {
      case "<=":
        return upTo(value);
      case ">":
        return this.numbers & ~upTo(value);
      case "==":
        return this.bits[this.names.get(value)];
      case "!=":
        return everything & ~this.bits[this.names.get(value)];
      case "missing":
        return this.bits[this.size - 1];
      default:
        return everything >> 1n;
    }
  }

  get numbers() {
    return (1n << BigInt(this.thresholds.length + 1)) - 1n;
  }

  /** The set of cells that change at least as much as this one: those beyond it for numbers, else itself. */
  beyond(cell) {
    if (typeof this.value !== "number" || cell > this.thresholds.length) return this.bits[cell];
    return cell > this.home ? this.numbers & ~(this.bits[cell] - 1n) : (2n << BigInt(cell)) - 1n;
  }

  /** A test on this axis: the set of cells, also in words of 32 bits for the hot loop. */
  test(cells) {
    if (!this.sets.has(cells)) {
      this.sets.set(cells, { place: this.place, cells, words: wordsOf(cells, this.size) });
    }
    return this.sets.get(cells);
  }
}

/** The number of an interval nearest to a value; if that is not a number, a finite end or the nearest to zero. */
function nearestNumber(value, first, last) {
  const ends = typeof value === "number" ? [] : [last, first].filter(Number.isFinite);
  const wanted = typeof value === "number" ? value : 0;
  return ends.length ? ends[0] : Math.min(Math.max(wanted, first), last);
}

/** The axes of the features, one by one; `fixed` has the places of features that must not change. What only the list
    beside a committee tests does not change either. */
function* axesOf(program, record, { fixed = new Set(), missing = false }) {
  const decides = (place) => !program.committee || program.committee.byFeature[place].length > 0;
  for (const [place, feature] of program.features.entries()) {
    const { numbers: thresholds, texts: named } = program.tested[place];
    const numeric = thresholds.length > 0 || typeof record[place] === "number";
    const allowed = fixed.has(place) || !decides(place) ? null : allowedValues(feature, named, numeric, missing);
    yield new Axis(place, record[place], thresholds, named, allowed);
  }
}

/** A binary heap of [cost, tie, box], the cheapest first; a cost is [changed features, distance, ...changes]. */
class Heap {
  constructor() {
    this.items = [];
  }

  static before(one, other) {
    return (compareLists(one[0], other[0]) || one[1] - other[1]) < 0;
  }

  push(item) {
    const { items } = this;
    let place = items.length;
    while (place && Heap.before(item, items[(place - 1) >> 1])) {
      items[place] = items[(place - 1) >> 1];
      place = (place - 1) >> 1;
    }
    items[place] = item;
  }

  pop() {
    const { items } = this;
    const [top, last] = [items[0], items.pop()];
    let place = 0;
    while (items.length) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && Heap.before(items[child + 1], items[child])) child++;
      if (!Heap.before(items[child], last)) break;
      items[place] = items[child];
      place = child;
    }
    if (items.length) items[place] = last;
    return top;
  }
}

/** Whether a shape, a rule as tests on cells, covers a point. */
function shapeCovers(shape, point) {
  for (const test of shape.tests) if (!holdsAt(test, point[test.place])) return false;
  for (const exception of shape.exceptions) if (shapeCovers(exception, point)) return false;
  return true;
}

/** The part of a box where the tests of a shape hold; null if that is empty. */
function narrowed(cells, shape) {
  const found = cells.slice();
  for (const test of shape.tests) {
    found[test.place] &= test.cells;
    if (!found[test.place]) return null;
  }
  return found;
}

/** The parts of a box that a shape does not cover: cells, and shapes that must not cover there. */
function* outside(shape, box) {
  let cells = box;
  const but = (place, set) => cells.map((own, k) => (k === place ? set : own));
  for (const test of shape.tests) {
    const left = cells[test.place] & ~test.cells;
    if (left) {
      yield [but(test.place, left), []];
      cells = but(test.place, cells[test.place] & test.cells);
    }
  }
  for (const exception of shape.exceptions) {
    const found = narrowed(cells, exception);
    if (found) yield [found, exception.exceptions];
  }
}

/** How many more features must change: one per rule to escape, counting rules that share no way out. */
function more({ ways }) {
  const needs = ways
    .filter((way) => way.out.every((features) => features.length))
    .map((way) => [...new Set(way.out.flat())])
    .sort((one, other) => one.length - other.length);
  const taken = new Set();
  let count = 0;
  for (const need of needs) {
    if (need.some((feature) => taken.has(feature))) continue;
    need.forEach((feature) => taken.add(feature));
    count++;
  }
  return count;
}

/** The boxes that are still to be looked into, by their bounds, and the answers so far. */
class Search {
  constructor(program, axes) {
    Object.assign(this, { program, axes, heap: new Heap(), ties: 0, answered: new Map() });
    this.home = axes.map((axis) => axis.home);
    this.shapes = [];
  }

  /** Turn every rule into tests on cells. */
  *prepare() {
    for (const rule of this.program.rules) yield void this.shapes.push(this.shape(rule));
  }

  /** A rule on cells; literals on one feature are one test. */
  shape(rule) {
    const tests = new Map();
    for (const literal of rule.literals) {
      const mask = this.axes[literal.feature].mask(literal);
      tests.set(literal.feature, tests.has(literal.feature) ? tests.get(literal.feature) & mask : mask);
    }
    return {
      tests: [...tests].map(([place, cells]) => this.axes[place].test(cells)),
      exceptions: rule.exceptions.map((exception) => this.shape(exception)),
    };
  }

  /** Push a box for every rule of the label, and for "otherwise". */
  *start(label) {
    this.answered.set(label, []);
    const against = [];
    const root = { label, cells: this.axes.map((axis) => axis.cells), point: this.home, avoid: [], ways: [] };
    for (const [number, rule] of this.program.rules.entries()) {
      const shape = this.shapes[number];
      if (rule.label !== label) {
        against.push(shape);
        continue;
      }
      const cells = narrowed(root.cells, shape);
      if (cells) this.push(root, cells, [...shape.exceptions, ...against]);
      yield;
    }
    if (this.program.otherwise === label) this.push(root, root.cells, against);
  }

  /** Push a part of a box, by the cost of its cheapest record, or by the bound on changes of the whole box. */
  push(parent, cells, avoid, bound = 0) {
    const point = parent.point.slice();
    cells.forEach((inside, place) => {
      if (inside !== parent.cells[place]) point[place] = this.cheapest(place, inside);
    });
    const changed = this.changed(point);
    const distance = changed.reduce((sum, place) => sum + this.axes[place].distance(point[place]), 0);
    const ties = changed.flatMap((place) => [place, this.axes[place].steps(point[place]), point[place]]);
    const cost = changed.length >= bound ? [changed.length, distance, ...ties] : [bound, distance];
    this.heap.push([cost, this.ties++, { label: parent.label, cells, point, avoid, ways: [] }]);
  }

  /** The cheapest of some cells of an axis. */
  cheapest(place, inside) {
    const axis = this.axes[place];
    if (inside & axis.bits[axis.home]) return axis.home;
    if (!axis.best.has(inside)) {
      const cells = [...axis.offers.keys()].filter((cell) => inside & axis.bits[cell]);
      axis.best.set(
        inside,
        least(cells, (cell) => [axis.distance(cell), axis.steps(cell)]),
      );
    }
    return axis.best.get(inside);
  }

  /** The places of the axes that a point changes. */
  changed(point) {
    const found = [];
    for (let place = 0; place < point.length; place++) if (point[place] !== this.home[place]) found.push(place);
    return found;
  }

  /** The cheapest records in order, each as {label, point}; in between it often yields undefined. */
  *answers() {
    while (this.heap.items.length) {
      yield;
      const [cost, , box] = this.heap.pop();
      if (!box.ways.length) {
        box.ways = this.violated(box);
        if (!box.ways.length) {
          yield { label: box.label, point: box.point };
          box.ways = [this.ruledOut(box)];
        } else {
          const bound = this.changed(box.point).length + more(box);
          if (bound > cost[0]) {
            this.heap.push([[bound, cost[1]], this.ties++, box]);
            continue;
          }
        }
      }
      this.divide(box, cost[0]);
    }
  }

  /** An answer excludes records that change more in the same direction: one more shape to avoid. */
  ruledOut(box) {
    const tests = this.changed(box.point).map((place) =>
      this.axes[place].test(this.axes[place].beyond(box.point[place])),
    );
    const shape = { tests, exceptions: [] };
    this.answered.get(box.label).push(shape);
    return { shape, out: this.waysOut(shape, box) };
  }

  /** The shapes that cover the cheapest record of a box, and the ways out. */
  violated(box) {
    const covering = [...this.answered.get(box.label), ...box.avoid].filter((shape) => shapeCovers(shape, box.point));
    return covering.map((shape) => ({ shape, out: this.waysOut(shape, box) }));
  }

  /** The ways to escape a shape: a test fails, or an exception covers; each with what must change to take it. */
  waysOut(shape, box) {
    const own = (place) => box.point[place] === this.home[place];
    const tests = shape.tests
      .filter(({ place, cells }) => box.cells[place] & ~cells)
      .map(({ place }) => (own(place) ? [place] : []));
    const exceptions = shape.exceptions
      .filter((exception) => exception.tests.every(({ place, cells }) => box.cells[place] & cells))
      .map((exception) =>
        exception.tests
          .filter((test) => !holdsAt(test, box.point[test.place]) && own(test.place))
          .map(({ place }) => place),
      );
    return [...tests, ...exceptions];
  }

  /** Push the parts of the box outside one of the shapes that cover: the one with the fewest ways out. */
  divide(box, bound) {
    const { shape } = least(box.ways, (way) => [way.out.length]);
    const avoid = box.avoid.filter((other) => other !== shape);
    for (const [cells, others] of outside(shape, box.cells)) {
      this.push(box, cells, others.length ? [...others, ...avoid] : avoid, bound);
    }
  }
}

/** Every label that the program gives, in the order of its rules; of a committee, its classes. */
function labelsOf(program) {
  if (program.committee) return program.committee.classes;
  const labels = new Set(program.rules.map((rule) => rule.label));
  if (program.otherwise !== null) labels.add(program.otherwise);
  return [...labels];
}

/** The nearest bound of an axis beyond which a changed record has another label; null if it keeps it all the way. */
function* endOf(program, changed, axis, offer) {
  const { label } = unless.engine.decide(program, changed);
  for (const { bound, number } of axis.further(offer)) {
    const further = changed.map((value, place) => (place === axis.place ? number : value));
    if (unless.engine.decide(program, further).label !== label) return bound;
    yield;
  }
  return null;
}

/** The changes of a point, verified by `decide`, which shares no code with the search. It yields often, as the search. */
function* counterfactual(program, record, axes, { label, point }) {
  const moved = axes.filter((axis) => point[axis.place] !== axis.home);
  const changed = record.slice();
  for (const axis of moved) changed[axis.place] = axis.offers[point[axis.place]].value;
  const decision = unless.engine.decide(program, changed);
  if (decision.label !== label) throw new Error("a proposed change does not hold");
  const changes = [];
  for (const axis of moved) {
    const offer = axis.offers[point[axis.place]];
    const end = yield* endOf(program, changed, axis, offer);
    changes.push({ feature: axis.place, old: axis.value, ...offer, end });
  }
  const distance = changes.reduce((sum, change) => sum + change.distance, 0);
  return { ...decision, record: changed, changes, distance };
}

/** The places of the features that may change. */
function freeFeatures(program, record, options = {}) {
  return [...axesOf(program, record, options)].filter((axis) => axis.free).map((axis) => axis.place);
}

/** The nearest minimal changes that give another label, or the wanted one, nearest first.

    A generator that yields the answers and, often, undefined, so that it can run in slices. `options` are the label
    that is `wanted`, the set of `fixed` features, and whether values may be `missing`. */
function* nearest(program, record, options = {}) {
  if (program.committee) return yield* unless.committee.nearest(program, record, options);
  const axes = [];
  for (const axis of axesOf(program, record, options)) yield void axes.push(axis);
  const search = new Search(program, axes);
  const own = unless.engine.decide(program, record).label;
  const { wanted = null } = options;
  const labels = wanted === null ? labelsOf(program).filter((label) => label !== own) : [wanted];
  yield* search.prepare();
  for (const label of labels) yield* search.start(label);
  for (const point of search.answers()) yield point && (yield* counterfactual(program, record, axes, point));
  return undefined;
}

unless.nearest = { nearest, above, axesOf, counterfactual, freeFeatures, labelsOf };
