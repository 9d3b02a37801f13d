/* Edited programs: which rules and exceptions are off, which thresholds moved, in which order; and what that changes.

   An edit is a value: { order: [2, 0, 1], off: ["1", "0.2"], moved: { "0.1|0": 30 } }. A path names a rule or an exception
   by places (rule 0, its exception 1, and so on), and after a bar the place of a literal. */

const none = (program) => ({ order: [...program.rules.keys()], off: [], moved: {} });

/** Whether an edit changes nothing. */
const isNone = ({ order, off, moved }) =>
  !off.length && !Object.keys(moved).length && order.every((place, k) => place === k);

/** An edit that was kept, if it fits the program; else none. */
function read(kept, program) {
  const size = program.rules.length;
  const order = kept && Array.isArray(kept.order) ? kept.order : [];
  const whole = order.length === size && new Set(order).size === size && order.every((k) => Number.isInteger(k) && k >= 0 && k < size);
  const fits = whole && Array.isArray(kept.off) && kept.moved && typeof kept.moved === "object";
  if (!fits) return none(program);
  const moved = Object.entries(kept.moved).filter(([, value]) => Number.isFinite(value));
  return { order, off: kept.off.map(String), moved: Object.fromEntries(moved) };
}

/** A rule or an exception as edited; exceptions that are off are gone. */
function editRule(rule, path, off, moved) {
  const literals = rule.literals.map((literal, k) => {
    const key = `${path}|${k}`;
    return Object.prototype.hasOwnProperty.call(moved, key) ? { ...literal, value: moved[key] } : literal;
  });
  const exceptions = rule.exceptions.flatMap((one, k) => {
    const inner = `${path}.${k}`;
    return off.has(inner) ? [] : [editRule(one, inner, off, moved)];
  });
  return { ...rule, literals, exceptions };
}

/** The program as edited. `sources` are the places of its rules in the original. */
function edited(program, { order, off, moved }) {
  const gone = new Set(off);
  const sources = order.filter((place) => !gone.has(String(place)));
  const touched = new Set([...off, ...Object.keys(moved)].map((path) => parseInt(path, 10)));
  const rules = sources.map((place) =>
    touched.has(place) ? editRule(program.rules[place], String(place), gone, moved) : program.rules[place],
  );
  return { ...program, rules, sources, card: null, figures: null };
}

/** What an edit changes on records, found a record at a time: yields, and at the end returns the counts. */
function* effect(program, after, records) {
  const found = { records: records.shown, changed: 0, judged: 0, before: 0, after: 0, better: 0, worse: 0 };
  for (let row = 0; row < records.shown; row++) {
    const record = records.record(row);
    const [was, is] = [program, after].map((one) => unless.engine.decide(one, record).label);
    found.changed += was !== is;
    yield null;
    if (!records.truth || (records.held && !records.held[row])) continue; // only unseen records tell how good it is
    const truth = records.truth[row];
    found.judged += 1;
    found.before += was === truth;
    found.after += is === truth;
    found.better += was !== truth && is === truth;
    found.worse += was === truth && is !== truth;
  }
  return found;
}

unless.edit = { edited, effect, isNone, none, read };
