/* How much each feature of a record adds to the log-odds of a committee: exact Shapley values against records of the
   page, as unless/score/contributions.py and unless/kernels/contributions.py define them. */

const PER_LOGIT = 1000;
const MOST = 64; // in how many features of one list two records may differ
const STEPS = 3000000; // how many nodes are visited for one record
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

/** For each literal the records of the background in which it holds, as bits. */
function heldBy(literals, records, rows) {
  const words = Math.max(Math.ceil(rows.length / 32), 1);
  return literals.map((literal) => {
    const { values, codes } = records.columns[literal.feature];
    const holds = values.map((value) => unless.engine.holds(literal, value));
    const held = new Uint32Array(words);
    rows.forEach((row, k) => {
      if (holds[codes[row]]) held[k >>> 5] |= 1 << (k & 31);
    });
    return held;
  });
}

/** What the walks of all records need, made once. */
function backgroundOf({ committee }, records, { rows, expected }) {
  const all = new Uint32Array(Math.max(Math.ceil(rows.length / 32), 1));
  rows.forEach((_, k) => (all[k >>> 5] |= 1 << (k & 31)));
  return { expected, size: rows.length, all, held: heldBy(committee.literals, records, rows), graphs: committee.lists.map(graphOf) };
}

function ones(bits) {
  let n = bits - ((bits >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return (((n + (n >>> 4)) & 0xf0f0f0f) * 0x1010101) >>> 24;
}

/** a! b! / (a + b + 1)! */
function shareOf(a, b) {
  let found = 1 / (a + b + 1);
  for (let k = 1; k <= Math.min(a, b); k++) found *= k / (Math.max(a, b) + k);
  return found;
}

/** Add the contributions to the points of one list; the steps that are left, below 0 if they do not suffice. */
function walkList(graph, points, width, committee, background, truths, out, steps) {
  const origin = new Map(); // of a feature: 1 if it is taken from the record, 2 from the background
  const [own, other] = [[], []];
  const { held, size } = background;
  let left = steps;
  const give = (end, set) => {
    const count = set.reduce((sum, bits) => sum + ones(bits), 0);
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
  const walk = (start, given) => {
    let [node, set] = [start, given];
    while (node >= 0) {
      if (--left < 0) return;
      const [literal, yes, no] = graph.nodes[node];
      const [here, there] = truths[literal] ? [yes, no] : [no, yes];
      const { feature } = committee.literals[literal];
      const from = origin.get(feature);
      if (from === 1) {
        node = here;
        continue;
      }
      const [agree, differ] = [new Uint32Array(set.length), new Uint32Array(set.length)];
      let [some, others] = [0, 0];
      for (let k = 0; k < set.length; k++) {
        agree[k] = set[k] & (truths[literal] ? held[literal][k] : ~held[literal][k]);
        differ[k] = set[k] ^ agree[k];
        some |= agree[k];
        others |= differ[k];
      }
      if (!others) {
        node = here;
        continue;
      }
      if (from === 2) {
        walk(there, differ);
      } else {
        if (own.length + other.length >= MOST) {
          left = -1;
          return;
        }
        origin.set(feature, 1);
        own.push(feature);
        walk(here, differ);
        own.pop();
        origin.set(feature, 2);
        other.push(feature);
        walk(there, differ);
        other.pop();
        origin.delete(feature);
      }
      if (!some) return;
      set = agree;
      node = here;
    }
    if (own.length + other.length) give(~node, set);
  };
  walk(graph.root, background.all);
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
    left = walkList(graph, points, width, committee, background, truths, out, left);
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
