/* A committee: lists that vote. Their points, the decision, why it is made, and what would change it, as
   unless/score/committee.py, unless/explanation/vote_explanation.py and unless/explanation/counterfactuals/committee_search.py define them.

   A rule is an array of the numbers of its literals and, behind them, of its exceptions, which are such arrays. */

const NAMED = 3; // how many lists the sentence names
const { shares } = unless.points;
const COLUMNS = 4; // how many classes have a column in the table, the leading ones
const ROWS = 20; // how many lists the table shows one by one
const FEATURES = 3; // the most features that a change changes
const CONTINUED = 12; // how many changes that are not enough are continued with another feature
const CHANGES = 10000; // how many changes of as many features are all tried

/** The committee of a page's data; null if a list decides. */
function readCommittee(data, features) {
  if (!data) return null;
  const literals = data.literals.map((literal) => unless.engine.readLiteral(literal, features));
  const byFeature = features.map((_, place) =>
    [...literals.keys()].filter((number) => literals[number].feature === place),
  );
  return { ...data, literals, byFeature, truths: new Uint8Array(literals.length), seen: [] };
}

/** Find which literals hold of a record. Only what is other than in the record before is looked at again. */
function look(committee, record) {
  const { literals, byFeature, truths, seen } = committee;
  byFeature.forEach((numbers, place) => {
    if (seen[place] === record[place]) return;
    seen[place] = record[place];
    for (const number of numbers) truths[number] = unless.engine.holds(literals[number], record[place]) ? 1 : 0;
  });
}

/** Which literals hold of a record; the array is used again for the next one. */
function truthsOf(committee, record) {
  look(committee, record);
  return committee.truths;
}

function covers(rule, truths) {
  for (const one of rule) {
    if (typeof one === "number" ? !truths[one] : covers(one, truths)) return false;
  }
  return true;
}

/** The place of the rule that decides a record in a list: the last one covers every record. */
const decidingRule = (list, truths) => list.findIndex((rule) => covers(rule, truths));

/** For each list its deciding rule and its points. */
function votes(committee, record) {
  look(committee, record);
  const { lists, points, classes, truths } = committee;
  return lists.map((list, number) => {
    const rule = decidingRule(list, truths);
    return { list: number, rule, points: points[number].slice(rule * classes.length, (rule + 1) * classes.length) };
  });
}

/** The points of each class: the sum of the base and of all votes. */
function sums(committee, record) {
  look(committee, record);
  const { lists, points, truths } = committee;
  const total = committee.base.slice();
  lists.forEach((list, number) => {
    const first = decidingRule(list, truths) * total.length;
    for (let k = 0; k < total.length; k++) total[k] += points[number][first + k];
  });
  return total;
}

/** The place of the class with most points, the first of several. */
const leading = (total) => total.indexOf(total.reduce((one, other) => Math.max(one, other)));

/** The decision: no rule makes it alone. */
const decide = ({ committee }, record) => ({ rule: null, label: committee.classes[leading(sums(committee, record))] });

/** The probability of the label that a record gets. */
function sureness({ committee }, record) {
  const total = sums(committee, record);
  return shares(total)[leading(total)];
}

/** A vote on a record: what each list gives, what it adds up to, and the classes with most points first. */
function tally({ committee }, record) {
  const given = votes(committee, record);
  const total = committee.base.map((points, k) => given.reduce((sum, vote) => sum + vote.points[k], points));
  const first = leading(total);
  const rest = [...total.keys()].filter((k) => k !== first).sort((one, other) => total[other] - total[one]);
  const lead = (points) => points[first] - (rest.length ? points[rest[0]] : 0);
  const carrying = given.filter(({ points }) => lead(points) > 0).sort((one, other) => lead(other.points) - lead(one.points));
  return { votes: given, total, order: [first, ...rest], lead, carrying, shares: shares(total), label: committee.classes[first] };
}

/** A rule as other scripts know rules; exceptions have no label. */
function ruleOf({ literals }, rule, label = 0) {
  const [own, exceptions] = [[], []];
  for (const one of rule) {
    if (typeof one === "number") own.push(literals[one]);
    else exceptions.push(ruleOf({ literals }, one, null));
  }
  return { label, literals: own, exceptions };
}

const proofOf = ({ committee }, { list, rule }, record) =>
  unless.engine.proveRule(ruleOf(committee, committee.lists[list][rule]), record);

const nameOf = ({ list, rule }) => `list ${list + 1}, rule ${rule + 1}`;

/** Points with their sign. */
const signed = (points) => (points < 0 ? "-" : "+") + unless.words.countText(Math.abs(points));

/** A list and the conditions of its deciding rule, without exceptions that do not apply. */
function briefly(program, speech, vote, record) {
  const { told, joined } = unless.words;
  const checks = told(proofOf(program, vote, record)).map((one) => speech.check(one));
  return `${nameOf(vote)}: ${joined(checks) || "otherwise"}`;
}

const listsText = (count) => `${unless.words.countText(count)} ${count === 1 ? "list" : "lists"}`;

/** Why a committee decides as it does: how many lists prefer the label, and those that carry it, with their lead. */
function because(program, speech, found, record) {
  const { votes: all, order, carrying, lead } = found;
  if (!all.length) return { head: ", because there are no lists: that is its share in training", named: [] };
  if (order.length < 2) return { head: ": there is no other class", named: [] };
  const other = speech.label(program.committee.classes[order[1]]);
  const head = `: ${carrying.length} of ${listsText(all.length)} prefer it to ${other}`;
  if (!carrying.length) return { head: `${head}, which is rarer in training`, named: [] };
  const named = carrying
    .slice(0, NAMED)
    .map((vote) => `${briefly(program, speech, vote, record)} (${signed(lead(vote.points))})`);
  return { head: `${head}, ${carrying.length > NAMED ? "above all" : ""}`.replace(/ $/, ""), named };
}

/** The sentence of a decision, after the label. */
function sentence(program, speech, found, record) {
  const { head, named } = because(program, speech, found, record);
  const share = unless.points.measure(found.shares[found.order[0]]);
  return `with probability ${share}${head}${named.length ? ` ${named.join("; ")}` : ""}`;
}

/** The cells of the table of a record: a head, the base, the lists that matter most, the others together, the total, and
    probabilities. */
function table(program, speech, record) {
  const { classes, base } = program.committee;
  const found = tally(program, record);
  const places = found.order.slice(0, COLUMNS).sort((one, other) => one - other);
  const cells = (points) => places.map((k) => unless.words.countText(points[k]).replace(/^\u2212/, "-"));
  const sorted = [...found.votes].sort((one, other) => Math.abs(found.lead(other.points)) - Math.abs(found.lead(one.points)));
  const rest = sorted.slice(ROWS);
  const others = classes.map((_, k) => rest.reduce((sum, vote) => sum + vote.points[k], 0));
  const reason = (vote) => `${nameOf(vote)}: ${speech.reason(proofOf(program, vote, record))}`;
  return [
    ["points for", ...places.map((k) => speech.label(classes[k]))],
    ["base", ...cells(base)],
    ...sorted.slice(0, ROWS).map((vote) => [reason(vote), ...cells(vote.points)]),
    ...(rest.length ? [[`${unless.words.countText(rest.length)} other ${rest.length === 1 ? "list" : "lists"}`, ...cells(others)]] : []),
    ["total", ...cells(found.total)],
    ["probability", ...places.map((k) => unless.points.percent(found.shares[k]))],
  ];
}

/** The places of the features that the lists which carry the decision above all test. */
function matters(program, found) {
  const { lists, literals } = program.committee;
  const places = new Set();
  const visit = (one) => (typeof one === "number" ? places.add(literals[one].feature) : one.forEach(visit));
  found.carrying.slice(0, NAMED).forEach(({ list, rule }) => visit(lists[list][rule]));
  return places;
}

// What would change the decision: one feature at a time, then two, then three.

/** The order of changes: by distance, then by thresholds passed, then by features and cells, then by class. */
function compareFound(one, other) {
  if (one.distance !== other.distance) return one.distance < other.distance ? -1 : 1;
  if (one.far !== other.far) return one.far - other.far;
  const [a, b] = [one.steps.flat(), other.steps.flat()];
  const k = a.findIndex((step, place) => step !== b[place]);
  return k < 0 ? one.label - other.label : a[k] - b[k];
}

/** Whether a change does what one that was found does, and more: further features, or a longer way. */
function contains(axes, kept, steps) {
  const cells = new Map(steps);
  return kept.some((one) =>
    one.steps.every(([place, cell]) => cells.has(place) && (axes[place].beyond(cell) >> BigInt(cells.get(place))) & 1n),
  );
}

/** Each of the waiting changes with one more feature; a step is the place of an axis and one of its cells. */
function continued(axes, waiting) {
  const found = new Map();
  for (const steps of waiting) {
    const taken = new Set(steps.map(([place]) => place));
    for (const axis of axes) {
      if (taken.has(axis.place)) continue;
      axis.offers.forEach((offer, cell) => {
        const more = [...steps, [axis.place, cell]].sort((one, other) => one[0] - other[0]);
        if (offer) found.set(more.join(";"), more);
      });
    }
  }
  return [...found.values()];
}

/** By how much the best of the wanted classes leads all others; negative if it does not. */
function nearness(total, goals) {
  const best = (wanted) => total.reduce((most, points, k) => (goals.has(k) === wanted ? Math.max(most, points) : most), -Infinity);
  return best(true) - best(false);
}

/** The changes with most of the wanted points, no two of the same features, without those that contain a found one. */
function nearestMisses(tried, axes, found) {
  const kept = new Map();
  for (const { steps } of [...tried].sort((one, other) => other.nearness - one.nearness)) {
    const features = steps.map(([place]) => place).join(";");
    if (!kept.has(features) && !contains(axes, found, steps)) kept.set(features, steps);
    if (kept.size === CONTINUED) break;
  }
  return [...kept.values()];
}

/** How many changes of so many features there are, given how many cells each feature may change to. */
function countCombinations(sizes, features) {
  const counts = [1, ...new Array(features).fill(0)];
  for (const size of sizes) for (let k = features; k > 0; k--) counts[k] += counts[k - 1] * size;
  return counts[features];
}

/** Changes of at most three features that give another label, or the wanted one, each checked by the committee. As long
    as all changes of as many features are tried, they are `proven` to be the nearest. A generator as `nearest` of
    nearest.js; it returns whether all changes of any features were tried. */
function* nearest(program, record, options = {}) {
  const { committee } = program;
  const axes = [];
  for (const axis of unless.nearest.axesOf(program, record, options)) yield void axes.push(axis);
  const { label } = decide(program, record);
  const { wanted = null } = options;
  const goals = new Set([...committee.classes.keys()].filter((k) => (wanted === null ? committee.classes[k] !== label : committee.classes[k] === wanted)));
  if (!goals.size || wanted === label) return false;
  const sizes = axes.map(({ offers }) => offers.filter(Boolean).length).filter(Boolean);
  const isSmall = (features) => features <= sizes.length && countCombinations(sizes, features) <= CHANGES;
  const kept = [];
  let [waiting, every, complete] = [[[]], true, false];
  for (let features = 1; features <= Math.min(FEATURES, sizes.length); features++) {
    every = every && (features === 1 || isSmall(features));
    const [tried, reached] = [[], []];
    for (const steps of continued(axes, waiting)) {
      if (!every && contains(axes, kept, steps)) continue;
      const total = sums(committee, changedBy(axes, record, steps));
      tried.push({ steps, nearness: nearness(total, goals) });
      const first = leading(total);
      if (goals.has(first)) reached.push({ ...lengthOf(axes, steps), steps, label: first });
      yield;
    }
    if (!tried.length) break;
    for (const one of reached.sort(compareFound)) {
      const alike = kept.filter((other) => other.label === one.label);
      if (contains(axes, alike, one.steps)) continue;
      kept.push(one);
      const found = yield* unless.nearest.counterfactual(program, record, axes, pointOf(axes, committee, one));
      yield { ...found, proven: every };
    }
    complete = every && features === sizes.length;
    waiting = every && isSmall(features + 1) ? tried.map(({ steps }) => steps) : nearestMisses(tried, axes, kept);
  }
  return complete;
}

function changedBy(axes, record, steps) {
  const changed = record.slice();
  for (const [place, cell] of steps) changed[place] = axes[place].offers[cell].value;
  return changed;
}

const lengthOf = (axes, steps) => ({
  distance: steps.reduce((sum, [place, cell]) => sum + axes[place].distance(cell), 0),
  far: steps.reduce((sum, [place, cell]) => sum + axes[place].steps(cell), 0),
});

function pointOf(axes, { classes }, { steps, label }) {
  const point = axes.map((axis) => axis.home);
  for (const [place, cell] of steps) point[place] = cell;
  return { label: classes[label], point };
}

unless.committee = { because, decide, matters, nearest, readCommittee, ruleOf, sentence, sums, sureness, table, tally, truthsOf };
