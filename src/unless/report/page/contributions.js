/* How much each feature of a record adds to the log-odds of a committee: exact Shapley values against records of the
   page, as unless/score/contributions.py and unless/kernels/contributions.py define them. */

const PER_LOGIT = 1000;
const MOST = 64; // in how many features of one list two records may differ
const STEPS = 1000000; // how many nodes are visited for one record
const SMALL = 0.005; // what is shown as 0.00 is left out

/** The nodes of a list: a literal, the next node if it holds and if not; below 0 is the rule ~node, which decides. */
function graphOf(list) {
  const nodes = [];
  const covers = (rule, yes, no) => {
    let next = yes;
    for (const one of rule.slice().reverse()) {
      if (typeof one === "number") next = nodes.push([one, next, no]) - 1;
      else next = covers(one, no, next);
    }
    return next;
  };
  let root = ~(list.length - 1);
  for (let number = list.length - 1; number >= 0; number--) root = covers(list[number], ~number, root);
  return { nodes, root };
}

/** For each literal the records of the background in which it holds, as bits of `words` numbers. */
function heldBy(literals, records, rows, words) {
  const held = new Uint32Array(literals.length * words);
  literals.forEach((literal, number) => {
    const { values, codes } = records.columns[literal.feature];
    const holds = values.map((value) => unless.engine.holds(literal, value));
    rows.forEach((row, k) => {
      if (holds[codes[row]]) held[number * words + (k >>> 5)] |= 1 << (k & 31);
    });
  });
  return held;
}

/** What the walks of all records need, made once. */
function backgroundOf({ committee, features }, records, { rows }) {
  const words = Math.max(Math.ceil(rows.length / 32), 1);
  const graphs = committee.lists.map(graphOf);
  const deepest = Math.max(...graphs.map(({ nodes }) => nodes.length), 0);
  const sets = new Uint32Array(2 * (deepest + 3) * words);
  rows.forEach((_, k) => (sets[k >>> 5] |= 1 << (k & 31)));
  return {
    size: rows.length,
    words,
    all: sets.slice(0, words),
    held: heldBy(committee.literals, records, rows, words),
    features: Int32Array.from(committee.literals, ({ feature }) => feature),
    graphs: graphs.map(({ nodes, root }) => ({ nodes: Int32Array.from(nodes.flat()), root })),
    sets, // of records, two for each level of the walk
    origin: new Uint8Array(features.length), // of a feature: 1 if it is taken from the record, 2 from the background
  };
}

function ones(bits) {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0xf0f0f0f) * 0x1010101) >>> 24;
}

const known = [];

/** a! b! / (a + b + 1)! */
function shareOf(a, b) {
  const key = a * (MOST + 1) + b;
  if (known[key] === undefined) {
    known[key] = 1 / (a + b + 1);
    for (let k = 1; k <= Math.min(a, b); k++) known[key] *= k / (Math.max(a, b) + k);
  }
  return known[key];
}

/** Add the contributions to the points of one list; the steps that are left, below 0 if they do not suffice. */
function walkList({ nodes, root }, points, width, background, truths, out, steps) {
  const { held, size, words, sets, features, origin } = background;
  const [own, other] = [[], []];
  let left = steps;
  const give = (end, from) => {
    let count = 0;
    for (let k = 0; k < words; k++) count += ones(sets[from + k]);
    for (let column = 0; column < width; column++) {
      const part = (points(end, column) * count) / size;
      if (own.length) {
        const share = part * shareOf(own.length - 1, other.length);
        for (const feature of own) out[feature][column] += share;
      }
      if (other.length) {
        const share = part * shareOf(own.length, other.length - 1);
        for (const feature of other) out[feature][column] -= share;
      }
    }
  };
  const walkPart = (part, node, level) => {
    sets.copyWithin(part + words, part, part + words);
    walk(node, level + 1);
  };
  const walk = (start, level) => {
    const rows = 2 * level * words;
    const part = rows + words;
    let node = start;
    while (node >= 0) {
      if (--left < 0) return;
      const literal = nodes[3 * node];
      const holds = truths[literal];
      const here = nodes[3 * node + (holds ? 1 : 2)];
      const there = nodes[3 * node + (holds ? 2 : 1)];
      const feature = features[literal];
      const from = origin[feature];
      if (from === 1) {
        node = here;
        continue;
      }
      let [agree, differ] = [0, 0];
      const flip = holds ? 0xffffffff : 0;
      for (let k = 0; k < words; k++) {
        const unlike = sets[rows + k] & (held[literal * words + k] ^ flip);
        sets[part + k] = unlike;
        differ |= unlike;
        agree |= sets[rows + k] ^ unlike;
      }
      if (!differ) {
        node = here;
        continue;
      }
      if (from === 2 && !agree) {
        node = there;
        continue;
      }
      if (own.length + other.length >= MOST) {
        left = -1;
        return;
      }
      if (from === 2) {
        walkPart(part, there, level);
      } else {
        origin[feature] = 1;
        own.push(feature);
        walkPart(part, here, level);
        own.pop();
        origin[feature] = 2;
        other.push(feature);
        walkPart(part, there, level);
        other.pop();
        origin[feature] = 0;
        if (!agree) return;
      }
      for (let k = 0; k < words; k++) sets[rows + k] ^= sets[part + k];
      node = here;
    }
    if (own.length + other.length) give(~node, rows);
  };
  sets.set(background.all);
  walk(root, 0);
  origin.fill(0);
  return left;
}

/** The contribution of each feature (rows) to each column of log-odds; null if that would take too long. With two
    classes there is one column: the log-odds of the second against the first. */
function contributions(program, background, record) {
  const { committee } = program;
  const classes = committee.classes.length;
  const width = classes === 2 ? 1 : classes;
  const truths = unless.committee.truthsOf(committee, record).slice();
  const out = program.features.map(() => new Array(width).fill(0));
  let left = STEPS;
  for (const [number, graph] of background.graphs.entries()) {
    const own = committee.points[number];
    const points = (end, column) =>
      (width === 1 ? own[2 * end + 1] - own[2 * end] : own[end * classes + column]) / PER_LOGIT;
    left = walkList(graph, points, width, background, truths, out, left);
    if (left < 0) return null;
  }
  return out;
}

/** What each feature adds for the label of a record against the next one, the largest first; what adds nothing is
    left out. */
function bars(program, found, vote) {
  const [label, next] = vote.order;
  const sign = label === 1 ? 1 : -1;
  const toward = ([first, ...rest]) => (rest.length ? [first, ...rest][label] - [first, ...rest][next] : sign * first);
  return found
    .map((own, feature) => ({ feature, value: toward(own) }))
    .filter(({ value }) => Math.abs(value) >= SMALL)
    .sort((one, other) => Math.abs(other.value) - Math.abs(one.value) || one.feature - other.feature);
}

unless.contributions = { backgroundOf, bars, contributions };
