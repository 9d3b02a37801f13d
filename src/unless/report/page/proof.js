/* A proof as nested lists: what holds, what fails, and why, marked by a sign and a word. */
(() => {
  "use strict";
  const unless = (globalThis.unless = globalThis.unless || {});

  /** A label as the page shows it: a coloured dot and its name; null is no decision. */
  function chip(speech, place) {
    const { el, datum } = unless.dom;
    if (place === null) return el("span", { class: "chip none" }, "not decided");
    const made = el("span", { class: "chip" }, datum(speech.label(place), speech.program.texts[place]));
    made.style.setProperty("--c", `var(--c${place % 10})`);
    return made;
  }

  /** A sign, the word for it, and a sentence, whose title is the full one if it is shortened. */
  function said(holds, word, text, full) {
    const { el, datum } = unless.dom;
    return [el("span", { class: "wi-sign" }, `${holds ? "✓" : "✗"} ${word}:`), " ", datum(text, full)];
  }

  const item = (holds, ...content) => unless.dom.el("li", { class: holds ? "wi-yes" : "wi-no" }, ...content);

  /** The proof of one rule as nested lists; `most` shortens the texts of the data. */
  class ProofView {
    constructor(program, most) {
      this.short = new unless.words.Speech(program, most);
      this.full = new unless.words.Speech(program);
      this.opened = new Set(); // of rules that a reader unfolded, so that they stay so while values change
    }

    /** A literal that holds or fails, in the words of a method of speech. */
    check(check, how = "check") {
      const word = check.holds ? "holds" : "fails";
      return item(check.holds, ...said(check.holds, word, this.short[how](check), this.full[how](check)));
    }

    /** An exception: why it applies or not, its checks if they are several, and its own exceptions. */
    exception(proof) {
      const { el } = unless.dom;
      const checks = proof.checks.length > 1 ? proof.checks.map((check) => this.check(check)) : [];
      const inner = [...checks, ...proof.exceptions.map((one) => this.exception(one))];
      const word = proof.covers ? "applies" : "does not apply";
      const head = said(proof.covers, word, this.summary(this.short, proof), this.summary(this.full, proof));
      const list = inner.length ? el("ul", {}, ...inner) : null;
      const failed = list && proof.checks.some((check) => !check.holds);
      return item(proof.covers, ...(failed ? [this.folded(proof.rule, head, list)] : [...head, list]));
    }

    /** The checks of an exception that fails: its first failing literal tells enough. */
    folded(rule, head, list) {
      const { el } = unless.dom;
      const fold = el("details", { open: this.opened.has(rule) }, el("summary", {}, ...head), list);
      fold.addEventListener("toggle", () => (fold.open ? this.opened.add(rule) : this.opened.delete(rule)));
      return fold;
    }

    /** What is to be said of an exception before its checks and its own exceptions. */
    summary(speech, proof) {
      const { checks, exceptions, covers } = proof;
      const fails = checks.some((check) => !check.holds);
      if (fails) return speech.exception(proof);
      const known = ["always", checks.length === 1 && speech.check(checks[0]), "both conditions hold"];
      const text = known[checks.length] || `all ${checks.length} conditions hold`;
      if (!covers) return `${text}, but an exception to it applies:`;
      return exceptions.length ? `${text}, and no exception to it applies:` : text;
    }

    /** Why a rule decides: its literals, and that no exception applies. */
    deciding(proof) {
      const { el } = unless.dom;
      const checks = proof.checks.map((check) => this.check(check, "asked"));
      const lines = checks.length ? checks : [el("li", { class: "wi-yes" }, "it always applies")];
      if (!proof.exceptions.length) return lines;
      const exceptions = proof.exceptions.map((one) => this.exception(one));
      return [...lines, el("li", { class: "wi-unless" }, "and no exception applies:", el("ul", {}, ...exceptions))];
    }

    /** Why a rule did not decide. */
    stopped(proof, number) {
      const { el, datum } = unless.dom;
      const rule = el("a", { href: `#rule-${number + 1}` }, `rule ${number + 1}`);
      const stop = datum(this.short.stopped(proof), this.full.stopped(proof));
      return el("li", {}, rule, " (", chip(this.short, proof.rule.label), ") did not apply: ", stop);
    }
  }

  unless.proof = { ProofView, chip };
})();
