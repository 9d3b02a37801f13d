/* What a program decides, and the proof: as unless/rule and unless/explanation/why.py define it. */

const { number } = unless.cells;

/** The order of texts by code points; JavaScript's own is by UTF-16 units. */
function compareTexts(one, other) {
  const code = (text, k) => (k < text.length ? text.codePointAt(k) : -1);
  let place = 0;
  while (place < one.length && one.charCodeAt(place) === other.charCodeAt(place)) place++;
  if (place && one.charCodeAt(place - 1) >= 0xd800 && one.charCodeAt(place - 1) < 0xdc00) place--; // within a pair
  return code(one, place) - code(other, place) || code(one, place + 1) - code(other, place + 1);
}

/** A literal's value: JSON has no infinity, so the bound of a comparison may be spelled. */
const bound = (op, value) =>
  op !== "<=" && op !== ">" ? value : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value;

/** A literal; a bound of a feature that the rules compare in a notation knows that notation. */
function readLiteral([feature, op, value], features) {
  const { noted, notation } = features[feature];
  return { feature, op, value: bound(op, value), notation: noted && isBound({ op }) ? notation : null };
}

const readRule = (label, [literals, exceptions], features) => ({
  label,
  literals: literals.map((literal) => readLiteral(literal, features)),
  exceptions: exceptions.map((exception) => readRule(null, exception, features)),
});

/** The program of a page's data. Labels and features are called by their places. */
function readProgram(data) {
  const { label_texts: texts, operators, otherwise, figures } = data;
  const features = data.features.map((one) => ({
    ...one,
    notation: unless.notation.readNotation(one.notation, one.form),
    notationData: one.notation,
  }));
  const rules = data.rules.map(([label, ...body]) => readRule(label, body, features));
  const committee = data.committee ? unless.committee.readCommittee(data.committee, features) : null;
  const tested = testedValues(committee ? [{ ...committee, exceptions: [] }] : rules, features.length);
  const program = { texts, features, operators, rules, tested, otherwise, figures, committee, target: data.target };
  Object.assign(program, { names: data.label_names, codes: data.label_codes, allNames: data.names, printed: data.printed, sql: data.sql });
  const cuts = (data.card?.cuts ?? []).map((cut) => readLiteral(cut, features));
  return { ...program, card: unless.points.readCard(data.card, program, cuts) };
}

/** For each feature, the values that the literals of some rules compare it with. */
function testedValues(rules, size) {
  const tested = Array.from({ length: size }, () => new Set());
  const visit = (rule) => {
    rule.literals.forEach(({ feature, value }) => tested[feature].add(value));
    rule.exceptions.forEach(visit);
  };
  rules.forEach(visit);
  return tested.map((values) => ({
    numbers: [...values].filter((value) => typeof value === "number").sort((one, other) => (one < other ? -1 : 1)),
    texts: [...values].filter((value) => typeof value === "string").sort(compareTexts),
  }));
}

const isBound = ({ op }) => op === "<=" || op === ">";

const bits = new DataView(new ArrayBuffer(8));

/** The next number above a number. */
function nextUp(number) {
  if (number === Infinity) return number;
  if (number === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, number);
  bits.setBigInt64(0, bits.getBigInt64(0) + (number > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/** The operator and the value as people say them: a number that can only be 0 or 1 is 1, rather than above 0. */
function said({ op, value, notation }) {
  const flag = notation && notation.name === "flag" && value === 0;
  return flag ? { op: "==", value: op === ">" ? 1 : 0 } : { op, value };
}

/** Of equal literals one; of bounds the highest that is a lower one, then the lowest that is an upper one. */
function tightest(literals) {
  if (!isBound(literals[0])) return literals.slice(0, 1);
  const side = (op, better) =>
    literals.filter((one) => one.op === op).reduce((best, one) => (best && !better(one, best) ? best : one), null);
  const [above, most] = [side(">", (a, b) => a.value > b.value), side("<=", (a, b) => a.value < b.value)];
  return [above, most].filter(Boolean);
}

/** The literals of a rule as people read them: each once, and the two bounds of a feature together, as a range. */
function conditions(literals) {
  const read = new Map();
  for (const literal of literals) {
    const key = isBound(literal) ? literal.feature : `${literal.feature} ${literal.op} ${literal.value}`;
    read.set(key, [...(read.get(key) || []), literal]);
  }
  return Array.from(read.values(), tightest);
}

/** Whether a literal holds of a value: a number, a text, or null if it is missing. */
function holds({ op, value: wanted }, value) {
  switch (op) {
    case "<=":
      return number(value) <= wanted;
    case ">":
      return number(value) > wanted;
    case "==":
      return value === wanted;
    case "!=":
      return value !== wanted;
    case "missing":
      return value === null;
    default:
      return value !== null;
  }
}

/** Whether a rule covers a record, an array of values in the order of the features. */
function covers(rule, record) {
  for (const literal of rule.literals) if (!holds(literal, record[literal.feature])) return false;
  for (const exception of rule.exceptions) if (covers(exception, record)) return false;
  return true;
}

/** The places of the deciding rule and of the label; null if there is none. A committee decides without such a rule. */
function decide(program, record) {
  return program.committee ? unless.committee.decide(program, record) : follow(program, record);
}

/** The same for the list, even if it only imitates a committee. */
function follow(program, record) {
  const rule = program.rules.findIndex((one) => covers(one, record));
  return rule < 0 ? { rule: null, label: program.otherwise } : { rule, label: program.rules[rule].label };
}

/** A rule on a record: all its literals are checked and, if they hold, all its exceptions. */
function proveRule(rule, record) {
  const checks = rule.literals.map((literal) => {
    const value = record[literal.feature];
    return { literal, value, holds: holds(literal, value) };
  });
  const applies = checks.every((check) => check.holds);
  const exceptions = applies ? rule.exceptions.map((exception) => proveRule(exception, record)) : [];
  return { rule, checks, exceptions, covers: applies && !exceptions.some((exception) => exception.covers) };
}

/** The proof of a decision: the rules that were tried. The last one decided, unless `rule` is null. */
function prove(program, record) {
  const tried = [];
  for (const [number, rule] of program.rules.entries()) {
    const proof = proveRule(rule, record);
    tried.push(proof);
    if (proof.covers) return { record, label: rule.label, rule: number, tried };
  }
  return { record, label: program.otherwise, rule: null, tried };
}

/** The places of the features that mattered: of the deciding rule, or of all if none decided. */
function matters(proof) {
  const found = new Set();
  const visit = (one) => {
    one.checks.forEach((check) => found.add(check.literal.feature));
    one.exceptions.forEach(visit);
  };
  (proof.rule === null ? proof.tried : proof.tried.slice(-1)).forEach(visit);
  return found;
}

/** A cell of the data: an infinite number is spelled. */
const cell = (value) =>
  value !== null && typeof value === "object" ? (value.number === "-inf" ? -Infinity : Infinity) : value;

/** The groups of a column: a name, a kind of test, and the values that it takes. */
const readGroups = ({ place, groups }) => ({
  place,
  groups: groups.map(([name, kind, ...asked]) => [name, kind, ...(kind === "other" ? asked : asked.map(cell))]),
});

/** The sampled records. Each column has its distinct values, and a code per record. */
function readRecords({ records, others = [] }) {
  const columns = records.columns.map(({ values, codes }) => ({ values: values.map(cell), codes }));
  const more = others.map((one) => ({
    ...one,
    values: one.values.map(cell),
    notation: unless.notation.readNotation(one.notation),
  }));
  const places = new Map(records.rows.map((number, row) => [number, row]));
  return {
    columns,
    others: more, // columns that no rule tests
    all: [...columns, ...more],
    held: records.held ?? null, // which records were held back from learning, if that is known
    total: records.total,
    shown: records.shown,
    numbers: records.rows,
    truth: records.truth,
    record: (row) => columns.map(({ values, codes }) => values[codes[row]]),
    rowOf: (number) => (places.has(number) ? places.get(number) : null),
  };
}

/** What the page holds, read once. Afterwards `unless.decide(record)` and `unless.prove(record)` give answers. */
function open() {
  if (!unless.page) {
    const original = JSON.parse(document.getElementById("unless-data").textContent);
    const own = unless.rename.read(unless.out.kept("words", original.fingerprint), original);
    const data = unless.rename.overlaid(original, own);
    const program = readProgram(data);
    const { colours, fingerprint, histograms, confusion, curves, contributions } = data;
    const groups = data.groups.map(readGroups);
    unless.page = { program, records: readRecords(data), colours, fingerprint, histograms, groups, confusion, curves, contributions };
    Object.assign(unless.page, { data, original, own });
    unless.decide = (record) => decide(program, record);
    unless.prove = (record) => prove(program, record);
  }
  return unless.page;
}

unless.engine = { compareTexts, conditions, readLiteral, readProgram, readRecords, nextUp, said, holds, covers, decide, follow, proveRule, prove, matters, open };
