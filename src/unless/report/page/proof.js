/* A proof as nested lists: what holds, what fails, and why, marked by a sign and a word. */

const { datum, el } = unless.dom;
const { holding, told } = unless.words;

/** A label as the page shows it: a coloured dot and its name; null is no decision. */
function chip(speech, place) {
  if (place === null) return el("span", { class: "chip none" }, "not decided");
  const made = el("span", { class: "chip", "data-l": place }, datum(speech.label(place), speech.program.texts[place]));
  made.style.setProperty("--c", `var(--c${unless.page.colours[place]})`);
  return made;
}

/** A sign, the word for it, and a sentence; if that is shortened, its title is the full one. */
function said(holds, word, text, full) {
  return [el("span", { class: "wi-sign" }, `${holds ? "✓" : "✗"} ${word}:`), " ", datum(text, full)];
}

const item = (holds, ...content) => el("li", { class: holds ? "wi-yes" : "wi-no" }, ...content);

const failed = (proof) => proof.checks.some((check) => !check.holds);

/** The proof of one rule as nested lists; `most` shortens the texts of the data. */
class ProofView {
  constructor(program, most) {
    this.short = new unless.words.Speech(program, most);
    this.full = new unless.words.Speech(program);
    this.opened = new Set(); // the rules that a reader unfolded: they stay open while values change
  }

  /** From now on, speak of this record. */
  turnTo(record) {
    this.short = this.short.about(record);
    this.full = this.full.about(record);
  }

  /** A condition that holds or fails, in the words of a method of speech. */
  check(checks, how = "check") {
    const holds = holding(checks);
    const word = holds ? "holds" : "fails";
    return item(holds, ...said(holds, word, this.short[how](checks), this.full[how](checks)));
  }

  /** The conditions of a rule in a row; those that read alike appear once. */
  checks(proof, how = "check") {
    const alike = new Map(told(proof).map((checks) => [`${holding(checks)} ${this.full[how](checks)}`, checks]));
    return Array.from(alike.values(), (checks) => this.check(checks, how));
  }

  /** Exceptions in a row; those that fail for the same reason are one item. */
  exceptions(proofs) {
    const told = new Map();
    for (const proof of proofs) {
      const key = failed(proof) ? this.full.exception(proof) : proof;
      told.set(key, [...(told.get(key) || []), proof]);
    }
    return [...told.values()].map((alike) => (failed(alike[0]) ? this.failing(alike) : this.holding(alike[0])));
  }

  /** An exception whose conditions hold: why it applies or not, its checks if several, and its own exceptions. */
  holding(proof) {
    const checks = this.checks(proof);
    const inner = [...(checks.length > 1 ? checks : []), ...this.exceptions(proof.exceptions)];
    const word = proof.covers ? "applies" : "does not apply";
    const head = said(proof.covers, word, this.summary(this.short, proof), this.summary(this.full, proof));
    return item(proof.covers, ...head, inner.length ? el("ul", {}, ...inner) : null);
  }

  /** Exceptions that fail alike: the first failing condition says enough; the rest is folded. */
  failing(proofs) {
    const [first] = proofs;
    const word = proofs.length > 1 ? `${proofs.length} do not apply` : "does not apply";
    const head = said(false, word, this.short.exception(first), this.full.exception(first));
    const more = proofs.length > 1 ? proofs.map(({ rule }) => this.asks(rule)) : this.checks(first);
    return item(false, ...(more.length > 1 ? [this.folded(first.rule, head, el("ul", {}, ...more))] : head));
  }

  asks(rule) {
    return el("li", {}, datum(this.short.asks(rule), this.full.asks(rule)));
  }

  /** A list under its head, open if the reader has opened it before. */
  folded(rule, head, list) {
    const fold = el("details", { open: this.opened.has(rule) }, el("summary", {}, ...head), list);
    fold.addEventListener("toggle", () => (fold.open ? this.opened.add(rule) : this.opened.delete(rule)));
    return fold;
  }

  /** The line above the checks and exceptions of an exception that holds. */
  summary(speech, proof) {
    const { exceptions, covers } = proof;
    const conditions = told(proof);
    const known = ["always", conditions.length === 1 && speech.check(conditions[0]), "both conditions hold"];
    const text = known[conditions.length] || `all ${conditions.length} conditions hold`;
    if (!covers) return `${text}, but an exception to it applies:`;
    return exceptions.length ? `${text}, and no exception to it applies:` : text;
  }

  /** Why a rule decides: its conditions, and that no exception applies. */
  deciding(proof) {
    const checks = this.checks(proof, "asked");
    const lines = checks.length ? checks : [el("li", { class: "wi-yes" }, unless.words.unconditional(proof.rule))];
    if (!proof.exceptions.length) return lines;
    const exceptions = this.exceptions(proof.exceptions);
    return [...lines, el("li", { class: "wi-unless" }, "and no exception applies:", el("ul", {}, ...exceptions))];
  }

  /** Why a rule did not decide. */
  stopped(proof, number) {
    const rule = el("a", { href: `#rule-${number + 1}` }, `rule ${number + 1}`);
    const stop = datum(this.short.stopped(proof), this.full.stopped(proof));
    return el("li", {}, rule, " (", chip(this.short, proof.rule.label), ") did not apply: ", stop);
  }
}

unless.proof = { ProofView, chip };
