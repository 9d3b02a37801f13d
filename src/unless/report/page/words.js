/* Sentences. Text for text those of unless/proof: words.py, plain.py and story.py. */
(() => {
  "use strict";
  const unless = (globalThis.unless = globalThis.unless || {});

  const BARE = /^[\p{L}\p{N}](?:[\p{L}\p{N}_ .%/+&()<>=*-]*[\p{L}\p{N}_.%+)*])?$/u;
  const SPEAKING =
    /(?:^|[^\p{L}\p{N}_])(?:and|not|missing|present|above|below|at most|because|unless|inf)(?![\p{L}\p{N}_])/u;
  const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
  const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
  const SIGNS = {
    "<=": "is at most",
    ">": "is above",
    "==": "is",
    "!=": "is not",
    missing: "is missing",
    present: "is present",
  };
  const PHRASE = { name: null, number: "{}", values: {}, sentence: "{name} is {value}", missing: "{name} is missing" };

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

  const grouped = (digits) => digits.replace(/\B(?=(?:[0-9]{3})+$)/g, ",");

  /** A number to the last bit, in groups of three digits from 10,000 on. */
  function numberText(number) {
    const text = spell(number);
    if (Math.abs(number) < 10000 || !/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return text;
    const [whole, decimals] = text.split(".");
    return grouped(whole) + (decimals === undefined ? "" : `.${decimals}`);
  }

  /** A count, in groups of three digits. */
  const countText = (count) => grouped(String(count));

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

  /** A category as it stands in a sentence: bare where nothing else could be meant, else in quotes. */
  function plainText(text) {
    const bare = BARE.test(text) && !UNSEEN.test(text) && numberIn(text) === null && !SPEAKING.test(text);
    return bare ? text : quoted(text);
  }

  /** A name as it is, or quoted where it could not be seen. */
  const printable = (name) => (!UNSEEN.test(name) && /[^ ]/.test(name) ? name : quoted(name));

  /** Reasons in a row, equal ones once: "and" between them, after a comma where the reason before has one itself. */
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

  /** The sentences about a program; `most` shortens the texts of the data to so many characters. */
  class Speech {
    constructor(program, most = Infinity) {
      this.program = program;
      this.most = most;
    }

    short(text) {
      if (text.length <= this.most) return text;
      return `${Array.from(text.slice(0, 2 * this.most))
        .slice(0, this.most - 1)
        .join("")}…`;
    }

    phrase(feature) {
      return this.program.features[feature].phrase || PHRASE;
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
      if (typeof value === "number") return filled(phrase.number, { "": numberText(value) });
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
      const text = `${this.name(feature)} ${SIGNS[op]}`;
      return value === null ? text : `${text} ${this.value(feature, value)}`;
    }

    /** What a rule asks: "income is at most 21,000 and history is late". */
    asks({ literals }) {
      return literals.map((literal) => this.literal(literal)).join(" and ") || "always";
    }

    /** What the record has, beside what the literal asks where that adds something. */
    check({ literal, value, holds }) {
      const has = this.has(literal.feature, value);
      const wanted = this.value(literal.feature, literal.value);
      switch (literal.op) {
        case "<=":
        case ">":
          if (typeof value !== "number") return value === null ? has : `${has}, not a number`;
          return `${has}, ${(literal.op === "<=") === holds ? "at most" : "above"} ${wanted}`;
        case "==":
          return holds ? has : `${has}, not ${wanted}`;
        case "!=":
          return holds ? `${has}, not ${wanted}` : has;
        case "missing":
          return holds ? has : `${has}, not missing`;
        default:
          return has;
      }
    }

    /** Why a rule covers a record, or why it does not. */
    reason(proof) {
      const fails = failing(proof);
      if (fails.length) return this.check(fails[0]);
      const text = joined(proof.checks.map((check) => this.check(check))) || "it always applies";
      const against = applying(proof);
      if (against.length) {
        const but = proof.checks.length ? text : "this always applies";
        return `although ${but}, an exception applies: ${this.reason(against[0])}`;
      }
      if (!proof.exceptions.length) return text;
      const nobody = proof.exceptions.length === 1 ? "the exception does not apply" : "no exception applies";
      return `${text}; ${nobody}, because ${joined(proof.exceptions.map((one) => this.reason(one)))}`;
    }

    /** How often the rule is right: "right for 94 % of the 311 records it decides"; empty if that is not known. */
    figures({ rule }) {
      const { figures, rules } = this.program;
      return figures ? figures[rule === null ? rules.length : rule] : "";
    }

    /** A check that holds: what the record has, and how that meets the literal. */
    asked({ literal, value }) {
      const has = this.has(literal.feature, value);
      const how = { "<=": "at most", ">": "above", "!=": "not" }[literal.op];
      return how ? `${has}, which is ${how} ${this.value(literal.feature, literal.value)}` : `${has}, as required`;
    }

    /** One exception: the literal that fails, or that it holds, but for what follows. */
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
      if (fails) return `${this.has(fails.literal.feature, fails.value)}, it needs ${this.needed(fails.literal)}`;
      const [against] = applying(proof);
      return against ? `an exception applies, because ${this.reason(against)}` : "an earlier rule decides";
    }

    needed({ feature, op, value }) {
      const wanted = this.value(feature, value);
      const other = { "!=": "another value", missing: "none", present: "a value" };
      return { "<=": `at most ${wanted}`, ">": `more than ${wanted}`, "==": wanted }[op] || other[op];
    }

    /** What a feature becomes: "income above 21,000". */
    change({ feature, value, how, bound }) {
      return how === "is" ? this.has(feature, value) : `${this.name(feature)} ${how} ${this.value(feature, bound)}`;
    }

    /** Changes in a row: "income above 21,000 and guarantor is yes". */
    changes(changes) {
      return changes.map((change) => this.change(change)).join(" and ") || "nothing has to change";
    }

    /** That no change was found: of which features, and for which label. */
    nothing(free, wanted) {
      const goal = wanted === null ? "another label" : this.label(wanted);
      if (!free.length)
        return `Nothing would change it: no feature that the program uses may change, so none gives ${goal}.`;
      const names = free.map((feature) => this.name(feature)).join(", ");
      return `Nothing would change it: no allowed change of ${names} gives ${goal}.`;
    }
  }

  /** "rule 4", or that no rule applies. */
  const ruleText = (rule) => (rule === null ? "no rule applies" : `rule ${rule + 1}`);

  unless.words = { Speech, spell, numberIn, numberText, countText, plainText, printable, quoted, ruleText };
})();
