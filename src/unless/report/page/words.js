/* Sentences: word for word those of unless/explanation, words.py and sentences.py. */

const BARE = /^[\p{L}\p{N}](?:[\p{L}\p{N}_ .%/+&()<>=*-]*[\p{L}\p{N}_.%+)*])?$/u;
const SPEAKING =
  /(?:^|[^\p{L}\p{N}_])(?:and|not|missing|present|above|below|at most|because|unless|inf)(?![\p{L}\p{N}_])/u;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const OPPOSITE = { "<=": ">", ">": "<=", "<": ">=", ">=": "<" };
const SORTS = {
  date: "a date",
  datetime: "a date",
  instant: "a date",
  time: "a time",
  duration: "a duration",
  order: "in the order",
};

/** The finite number that a text spells, or null. */
function numberIn(text) {
  const number = unless.cells.numeral(text);
  return typeof number === "number" ? number : null;
}

/** The shortest text of a number, as Python spells it: 1, 0.1, 1e-05, 1e+300, inf. */
const spell = unless.cells.spelled;

const inGroups = (digits) => digits.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");

const within = (number, least) => Math.abs(number) >= least && Math.abs(number) < 1e16;

/** Whether a value is a number with groups of digits. */
const hasGroups = (value) => typeof value === "number" && within(value, 10000);

/** A number to the last bit, in groups of three digits: from 10,000 on, or from 1,000 on if it is `grouped`. */
function numberText(number, grouped = false) {
  const text = spell(number);
  if (!within(number, grouped ? 1000 : 10000)) return text;
  const [whole, decimals] = text.split(".");
  return inGroups(whole) + (decimals === undefined ? "" : `.${decimals}`);
}

/** A number of a feature: in its notation, or as a number. */
const written = ({ notation, grouped }, number) =>
  unless.notation.isWritten(notation) ? notation.text(number) : numberText(number, grouped);

/** What the numbers of a notation are: numbers, dates, times. */
const sortOf = (notation) => (notation && SORTS[notation.name]) || "a number";

/** A count, in groups of three digits. */
const countText = (count) => inGroups(String(count));

const hex = (code) =>
  code < 0x100
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : code < 0x10000
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\U${code.toString(16).padStart(8, "0")}`;

/** A text in quotes, as Python quotes it; what cannot be seen is escaped. */
function quoted(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const known = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [quote]: `\\${quote}` };
  const shown = (one) => (known[one] ? known[one] : UNSEEN.test(one) ? hex(one.codePointAt(0)) : one);
  return quote + Array.from(text, shown).join("") + quote;
}

/** A category in a sentence: bare where nothing else could be meant, else in quotes. */
function plainText(text) {
  const bare = BARE.test(text) && !UNSEEN.test(text) && numberIn(text) === null && !SPEAKING.test(text);
  return bare ? text : quoted(text);
}

/** A name as it is, or quoted if it could not be seen. */
const printable = (name) => (!UNSEEN.test(name) && /[^ ]/.test(name) ? name : quoted(name));

/** Reasons with "and" between them, after a comma if the reason before has one itself; equal reasons appear once. */
function joined(parts) {
  let text = "";
  let last = "";
  for (const part of new Set(parts)) {
    text += text ? `${last.includes(",") ? "," : ""} and ${part}` : part;
    last = part;
  }
  return text;
}

const filled = (template, words) => template.replace(/\{(\w*)\}/g, (_, place) => words[place]);

/** The checks of a rule, condition by condition: those of a range are told together. */
function told({ rule, checks }) {
  const checkOf = new Map(checks.map((check) => [check.literal, check]));
  return unless.engine.conditions(rule.literals).map((literals) => literals.map((literal) => checkOf.get(literal)));
}

/** Whether a condition holds: all its checks do. */
const holding = (checks) => checks.every((check) => check.holds);
const failing = (proof) => told(proof).filter((checks) => !holding(checks));
const literalsOf = (checks) => checks.map(({ literal }) => literal);

/** So many letters longer than the next number, a bound is said by that one. */
const LONGER = 6;

/** The operator and the value; the last number before a short one is said by that: below 30. */
function bound({ op, value, notation }) {
  if (typeof value !== "number" || notation || !Number.isFinite(value)) return { op, value };
  const above = unless.engine.nextUp(value) + 0;
  if (spell(above).length + LONGER > spell(value).length) return { op, value };
  return { op: op === "<=" ? "<" : ">=", value: above };
}

/** The operator and the value as people say them. */
function said(literal) {
  const found = unless.engine.said(literal);
  return found.op === "==" ? found : bound(literal);
}

/** Whether a record has 0 or 1 where nothing else is expected, so that the value alone says all. */
const isFlag = ([{ literal, value }, ...others]) =>
  !others.length && literal.op in OPPOSITE && said(literal).op === "==" && (value === 0 || value === 1);
const applying = (proof) => proof.exceptions.filter((exception) => exception.covers);

/** A text of the data, cut to at most `most` characters. */
function shortened(text, most) {
  if (text.length <= most) return text;
  const characters = Array.from(text.slice(0, 2 * most)); // a character may be two UTF-16 units
  return `${characters.slice(0, most - 1).join("")}…`;
}

/** What a rule without conditions says: it is the default; an exception without conditions always applies. */
const unconditional = ({ label }) => (label === null ? "it always applies" : "it is the default");

/** The sentences about a program and some records; texts of the data have at most `most` characters.

    Where a number of a feature has groups of digits, in the program, its training data or the records, all have. */
class Speech {
  constructor(program, most = Infinity, records = []) {
    this.program = program;
    this.most = most;
    this.grouped = program.features.map(
      ({ grouped, notation }, place) =>
        !unless.notation.isWritten(notation) && (grouped || records.some((record) => hasGroups(record[place]))),
    );
    const isPart = (value) => typeof value === "number" && !Number.isInteger(value);
    this.whole = program.features.map(({ whole }, place) => whole && !records.some((record) => isPart(record[place])));
  }

  /** The sentences about other records. */
  about(...records) {
    return new Speech(this.program, this.most, records);
  }

  short(text) {
    return shortened(text, this.most);
  }

  phrase(feature) {
    return this.program.features[feature].phrase;
  }

  label(place) {
    return this.short(this.program.texts[place]);
  }

  name(feature) {
    return this.phrase(feature).name || printable(this.short(this.program.features[feature].name));
  }

  value(feature, value) {
    const phrase = this.phrase(feature);
    if (value === null) return "missing";
    const { notation } = this.program.features[feature];
    const number = typeof value === "number";
    if (number && !unless.notation.isWritten(notation))
      return filled(phrase.number, { "": numberText(value, this.grouped[feature]) });
    const text = number ? notation.text(value) : value;
    const own = Object.prototype.hasOwnProperty.call(phrase.values, text) ? phrase.values[text] : "";
    const shown = !number || notation.levels ? plainText(this.short(text)) : text;
    return own || (number ? filled(phrase.number, { "": shown }) : shown);
  }

  /** What a record has: "income is 18,400". */
  has(feature, value) {
    const { sentence, missing } = this.phrase(feature);
    const words = { name: this.name(feature), value: this.value(feature, value) };
    return filled(value === null ? missing : sentence, words);
  }

  /** The one number in a range of whole numbers, or null: of those above 2 and at most 3, that is 3. */
  only(condition) {
    if (condition.length < 2 || !this.whole[condition[0].feature]) return null;
    const [low, high] = condition.map(({ value }) => Math.floor(value));
    return Number.isFinite(high) && low + 1 === high ? high + 0 : null;
  }

  /** What a condition asks, after the name: "is above 30 and at most 40". */
  verbs(condition) {
    const only = this.only(condition);
    if (only !== null) return `${this.program.operators["=="]} ${this.value(condition[0].feature, only)}`;
    const parts = condition.map((literal, place) => {
      const { op, value } = condition.length > 1 ? bound(literal) : said(literal);
      const words = this.program.operators[op];
      const verb = place ? `and ${words.replace(/^is /, "")}` : words;
      return value === null ? verb : `${verb} ${this.value(literal.feature, value)}`;
    });
    return parts.join(" ");
  }

  /** What a condition asks: "history is late", "age is above 30 and at most 40". */
  condition(condition) {
    return `${this.name(condition[0].feature)} ${this.verbs(condition)}`;
  }

  /** What a rule asks, condition by condition. */
  conditions({ literals }) {
    return unless.engine.conditions(literals).map((condition) => this.condition(condition));
  }

  /** What a rule asks: "income is at most 21,000 and history is late". */
  asks(rule) {
    return this.conditions(rule).join(" and ") || "always";
  }

  /** What the record has and, where that adds something, what is asked: "age is 35, above 30 and at most 40".

      Of a range that fails, it says what fails: "age is 50, above 40". */
  check(checks) {
    const [{ literal, value, holds }] = checks;
    const { feature, op } = literal;
    const has = this.hasOf(checks);
    if (isFlag(checks)) return has;
    if (op in OPPOSITE) {
      if (typeof value !== "number") return value === null ? has : `${has}, not ${sortOf(literal.notation)}`;
      const only = this.only(literalsOf(checks));
      if (only !== null) return holding(checks) ? has : `${has}, not ${this.value(feature, only)}`;
      const fails = checks.filter((check) => !check.holds);
      return `${has}, ${(fails.length ? fails : checks).map((check) => this.lies(check)).join(" and ")}`;
    }
    const adds = op !== "present" && holds === (op === "!=");
    return adds ? `${has}, not ${this.value(feature, literal.value)}` : has;
  }

  /** How a number lies to a bound: "at most 21,000". */
  lies({ literal, holds }) {
    const { op, value } = bound(literal);
    const verb = this.program.operators[holds ? op : OPPOSITE[op]].replace(/^is /, "");
    return `${verb} ${this.value(literal.feature, value)}`;
  }

  hasOf([{ literal, value }]) {
    return this.has(literal.feature, value);
  }

  /** Why a rule covers a record, or why it does not. */
  reason(proof) {
    const fails = failing(proof);
    if (fails.length) return this.check(fails[0]);
    const text = joined(told(proof).map((checks) => this.check(checks))) || unconditional(proof.rule);
    const nested = proof.rule.label === null; // an exception to an exception is called its own
    const against = applying(proof);
    const one = nested ? "an exception of its own" : "an exception";
    if (against.length) return `although ${text}, ${one} applies: ${this.reason(against[0])}`;
    if (!proof.exceptions.length) return text;
    const single = `${nested ? "its own" : "the"} exception does not apply`;
    const several = nested ? "none of its own exceptions applies" : "no exception applies";
    const nobody = proof.exceptions.length === 1 ? single : several;
    return `${text}; ${nobody}, because ${joined(proof.exceptions.map((one) => this.reason(one)))}`;
  }

  /** What to expect of the rule: "expected precision 0.880, …"; empty if unknown. */
  figures({ rule }) {
    const { figures, rules } = this.program;
    return figures ? figures[rule === null ? rules.length : rule] : "";
  }

  /** Checks that hold: what the record has, and how that meets what the condition asks. */
  asked(checks) {
    const has = this.hasOf(checks);
    const alone = isFlag(checks) || this.only(literalsOf(checks)) !== null;
    if (alone || !["<=", ">", "!="].includes(checks[0].literal.op)) return `${has}, as required`;
    return `${has}, which ${this.verbs(literalsOf(checks))}`;
  }

  /** One exception: the condition that fails, or that it holds; a colon announces its own exceptions. */
  exception(proof) {
    const [fails] = failing(proof);
    if (fails) return `'${this.condition(literalsOf(fails))}' does not hold: ${this.hasOf(fails)}`;
    const asks = this.asks(proof.rule);
    if (applying(proof).length) return `'${asks}' holds, but has an exception that applies:`;
    return `'${asks}' applies${proof.exceptions.length ? ", since no exception to it does:" : ""}`;
  }

  /** Why a rule did not apply: its first failing condition, or the exception that applies. */
  stopped(proof) {
    const [fails] = failing(proof);
    if (fails) return `${this.hasOf(fails)}, but ${this.must(literalsOf(fails))}`;
    const [against] = applying(proof);
    return against ? `an exception applies, because ${this.reason(against)}` : "an earlier rule decides";
  }

  must(condition) {
    return this.verbs(condition).replace(/^is( not)?/, "must$1 be");
  }

  /** What a feature becomes: "income above 21,000", "age above 30 and at most 40". */
  change({ feature, value, how, bound: first, end }) {
    if (how === "is") return this.has(feature, value);
    const [above, most] = how === "above" ? [first, end] : [end, first];
    const { noted, notation } = this.program.features[feature];
    const asked = [
      { op: ">", value: above },
      { op: "<=", value: most },
    ].filter((one) => one.value !== null);
    if (this.only(asked.map((one) => ({ ...one, feature }))) === value) return this.has(feature, value);
    const said = asked.map((one) => bound({ ...one, notation: noted ? notation : null }));
    const texts = said.map((one) => `${this.program.operators[one.op].replace(/^is /, "")} ${this.value(feature, one.value)}`);
    return `${this.name(feature)} ${texts.join(" and ")}`;
  }

  /** Changes in a row: "income above 21,000 and guarantor is yes". */
  changes(changes) {
    return changes.map((change) => this.change(change)).join(" and ") || "nothing has to change";
  }

  /** The sentence for no answer of a committee; `complete` is whether all changes were tried. */
  notFound(free, wanted, complete = false) {
    if (!free.length || complete) return this.nothing(free, wanted);
    return `No change was found: no change of at most three features that was tried gives ${this.goal(wanted)}.`;
  }

  /** What changes should lead to. */
  goal(wanted) {
    return wanted === null ? "another label" : this.label(wanted);
  }

  /** The sentence for no answer: which features may change, and which label they cannot give. */
  nothing(free, wanted) {
    if (!free.length)
      return `Nothing would change it: no feature that the rules use may change.`;
    const names = free.map((feature) => this.name(feature)).join(", ");
    return `Nothing would change it: no allowed change of ${names} gives ${this.goal(wanted)}.`;
  }
}

/** "rule 4", or that no rule applies. */
const ruleText = (rule) => (rule === null ? "no rule applies" : `rule ${rule + 1}`);

unless.words = {
  bound,
  Speech,
  countText,
  holding,
  joined,
  numberIn,
  numberText,
  plainText,
  printable,
  quoted,
  ruleText,
  shortened,
  sortOf,
  spell,
  told,
  unconditional,
  written,
};
