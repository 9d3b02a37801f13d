/* Sentences: word for word those of unless/explanation, words.py and sentences.py. */
(() => {
  "use strict";
  const unless = (globalThis.unless = globalThis.unless || {});

  const BARE = /^[\p{L}\p{N}](?:[\p{L}\p{N}_ .%/+&()<>=*-]*[\p{L}\p{N}_.%+)*])?$/u;
  const SPEAKING =
    /(?:^|[^\p{L}\p{N}_])(?:and|not|missing|present|above|below|at most|because|unless|inf)(?![\p{L}\p{N}_])/u;
  const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
  const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
  const OPPOSITE = { "<=": ">", ">": "<=" };

  /** The finite number that a text spells, or null. */
  function numberIn(text) {
    const trimmed = text.replace(/^ +| +$/g, "");
    const number = NUMBER.test(trimmed) ? Number(trimmed) : NaN;
    return Number.isFinite(number) ? number + 0 : null;
  }

  /** The shortest text of a number, as Python spells it: 1, 0.1, 1e-05, 1e+300, inf. */
  function spell(number) {
    if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
    const size = Math.abs(number);
    if (size === 0 || (size >= 1e-4 && size < 1e16)) return String(number); // here both languages write it alike
    const [digits, exponent] = number.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }

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
  const failing = (proof) => proof.checks.filter((check) => !check.holds);
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
        ({ grouped }, place) => grouped || records.some((record) => hasGroups(record[place])),
      );
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
      if (typeof value === "number") return filled(phrase.number, { "": numberText(value, this.grouped[feature]) });
      const own = Object.prototype.hasOwnProperty.call(phrase.values, value) ? phrase.values[value] : "";
      return own || plainText(this.short(value));
    }

    /** What a record has: "income is 18,400". */
    has(feature, value) {
      const { sentence, missing } = this.phrase(feature);
      const words = { name: this.name(feature), value: this.value(feature, value) };
      return filled(value === null ? missing : sentence, words);
    }

    /** What a literal asks: "income is at most 21,000". */
    literal({ feature, op, value }) {
      const text = `${this.name(feature)} ${this.program.operators[op]}`;
      return value === null ? text : `${text} ${this.value(feature, value)}`;
    }

    /** What a rule asks: "income is at most 21,000 and history is late". */
    asks({ literals }) {
      return literals.map((literal) => this.literal(literal)).join(" and ") || "always";
    }

    /** What the record has and, where that adds something, what the literal asks: "income is 18,400, at most 21,000". */
    check({ literal, value, holds }) {
      const { feature, op } = literal;
      const has = this.has(feature, value);
      const wanted = this.value(feature, literal.value);
      if (op in OPPOSITE) {
        if (typeof value !== "number") return value === null ? has : `${has}, not a number`;
        const words = this.program.operators[holds ? op : OPPOSITE[op]];
        return `${has}, ${words.replace(/^is /, "")} ${wanted}`;
      }
      const adds = op !== "present" && holds === (op === "!=");
      return adds ? `${has}, not ${wanted}` : has;
    }

    /** Why a rule covers a record, or why it does not. */
    reason(proof) {
      const fails = failing(proof);
      if (fails.length) return this.check(fails[0]);
      const text = joined(proof.checks.map((check) => this.check(check))) || unconditional(proof.rule);
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

    /** How often the rule is right: "right for 94 % of the 311 records it decides"; empty if unknown. */
    figures({ rule }) {
      const { figures, rules } = this.program;
      return figures ? figures[rule === null ? rules.length : rule] : "";
    }

    /** A check that holds: what the record has, and how that meets what the literal asks. */
    asked({ literal: { feature, op, value: wanted }, value }) {
      const has = this.has(feature, value);
      if (!["<=", ">", "!="].includes(op)) return `${has}, as required`;
      return `${has}, which ${this.program.operators[op]} ${this.value(feature, wanted)}`;
    }

    /** One exception: the literal that fails, or that it holds; a colon announces its own exceptions. */
    exception(proof) {
      const [fails] = failing(proof);
      if (fails) {
        const has = this.has(fails.literal.feature, fails.value);
        return `'${this.literal(fails.literal)}' does not hold: ${has}`;
      }
      const asks = this.asks(proof.rule);
      if (applying(proof).length) return `'${asks}' holds, but has an exception that applies:`;
      return `'${asks}' applies${proof.exceptions.length ? ", since no exception to it does:" : ""}`;
    }

    /** Why a rule did not apply: its first failing literal, or the exception that applies. */
    stopped(proof) {
      const [fails] = failing(proof);
      if (fails) return `${this.has(fails.literal.feature, fails.value)}, but ${this.must(fails.literal)}`;
      const [against] = applying(proof);
      return against ? `an exception applies, because ${this.reason(against)}` : "an earlier rule decides";
    }

    must({ feature, op, value }) {
      const words = this.program.operators[op].replace(/^is( not)?/, "must$1 be");
      return value === null ? words : `${words} ${this.value(feature, value)}`;
    }

    /** What a feature becomes: "income above 21,000". */
    change({ feature, value, how, bound }) {
      return how === "is" ? this.has(feature, value) : `${this.name(feature)} ${how} ${this.value(feature, bound)}`;
    }

    /** Changes in a row: "income above 21,000 and guarantor is yes". */
    changes(changes) {
      return changes.map((change) => this.change(change)).join(" and ") || "nothing has to change";
    }

    /** The sentence for no answer: which features may change, and which label they cannot give. */
    nothing(free, wanted) {
      const goal = wanted === null ? "another label" : this.label(wanted);
      if (!free.length)
        return `Nothing would change it: no feature that the rules use may change.`;
      const names = free.map((feature) => this.name(feature)).join(", ");
      return `Nothing would change it: no allowed change of ${names} gives ${goal}.`;
    }
  }

  /** "rule 4", or that no rule applies. */
  const ruleText = (rule) => (rule === null ? "no rule applies" : `rule ${rule + 1}`);

  unless.words = {
    Speech,
    countText,
    joined,
    numberIn,
    numberText,
    plainText,
    printable,
    quoted,
    ruleText,
    shortened,
    spell,
    unconditional,
  };
})();
