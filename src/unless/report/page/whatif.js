/* What if: the form, the decision with its proof while values change, and what would change the decision. */

const { datum, el, part, perFrame, ready, wordsIn } = unless.dom;

const SHORT = 60; // the most characters of a text of the data in a sentence
const MANY = 12; // with more features there is a filter
const CROWD = 30; // with more features, only those that matter are shown at first
const FOLD = 100; // the most earlier rules to list at once

/** The whole section: a record, its values, and what follows from them. */
class WhatIf {
  constructor({ program, records }) {
    Object.assign(this, { program, records, fixed: new Set() });
    this.speech = new unless.words.Speech(program, SHORT);
    this.proofs = new unless.proof.ProofView(program, SHORT);
    this.offered = new Set();
    this.nearest = new unless.changes.NearestView(program, this.speech, {
      apply: (record) => this.take(record),
      shown: (found) => this.markOffered(found),
    });
    this.update = perFrame(() => this.render());
    this.controls = program.features.map((_, place) => this.control(place));
    part("wi-controls").replaceChildren(...this.controls.map((control) => control.root));
    this.listen();
  }

  control(place) {
    const changed = (value) => {
      this.record[place] = value;
      this.update();
    };
    const kept = (whether) => {
      if (whether) this.fixed.add(place);
      else this.fixed.delete(place);
      this.search();
    };
    return unless.controls.control(this.program, this.records, place, this.speech, { changed, kept });
  }

  listen() {
    const wanted = unless.nearest
      .labelsOf(this.program)
      .map((place) => el("option", { value: place }, this.speech.label(place)));
    part("wi-wanted").replaceChildren(el("option", { value: "" }, "any other decision"), ...wanted);
    for (const id of ["wi-wanted", "wi-missing"]) part(id).addEventListener("change", () => this.search());
    part("wi-form").addEventListener("submit", (event) => event.preventDefault());
    part("wi-previous").addEventListener("click", () => this.start(this.row - 1));
    part("wi-next").addEventListener("click", () => this.start(this.row + 1));
    part("wi-number").addEventListener("change", () => this.startFrom(part("wi-number").value));
    part("wi-number").addEventListener(
      "keydown",
      (event) => event.key === "Enter" && this.startFrom(part("wi-number").value),
    );
    part("wi-reset").addEventListener("click", () => this.take(this.base));
    part("wi-others").addEventListener("toggle", () => this.showOthers());
    part("wi-points").addEventListener("toggle", () => this.showPoints());
    window.addEventListener("beforeprint", () => {
      this.showOthers(FOLD, true);
      this.showPoints(true);
    });
    part("wi-others")
      .querySelector("button")
      .addEventListener("click", () => this.showOthers(Infinity));
    part("wi-filter").hidden = this.controls.length <= MANY;
    part("wi-only").checked = this.controls.length > CROWD;
    for (const id of ["wi-find", "wi-only"]) part(id).addEventListener("input", () => this.filter());
    window.addEventListener("hashchange", () => this.followHash());
  }

  /** Start from a record of the data, given its place among those shown. */
  start(row, { quiet = false, push = false } = {}) {
    this.row = row;
    this.base = this.records.record(row);
    part("wi-number").value = this.records.numbers[row];
    part("wi-previous").disabled = row === 0;
    part("wi-next").disabled = row === this.records.shown - 1;
    this.note("");
    const address = `#record=${this.records.numbers[row]}`;
    if (push && location.hash !== address) history.pushState(null, "", address); // so that "back" leads to the table
    else if (!quiet) history.replaceState(null, "", address);
    this.controls.forEach((control) => control.forget());
    this.write(this.base);
    unless.shownRecord = row;
    if (unless.markRecord) unless.markRecord(row);
  }

  /** Start from a record, given its number; say so if it is not among those shown. */
  startFrom(number) {
    const row = this.records.rowOf(Number(number.replace(/[ ,]/g, "")));
    if (row !== null) this.start(row);
    else
      this.note(`Record ${number.slice(0, 20)} is not among the ${unless.words.countText(this.records.shown)} here.`);
  }

  /** Start from the record that the address names: #record=17. */
  followHash() {
    const found = /^#record=([0-9]+)$/.exec(location.hash);
    if (!found) return;
    this.startFrom(found[1]);
    part("what-if").scrollIntoView();
  }

  note(text) {
    part("wi-from-note").textContent = text;
  }

  /** Take other values, and show the decision. */
  take(record) {
    this.write(record);
    part("wi-decision").focus({ preventScroll: true });
  }

  write(record) {
    this.record = record.slice();
    this.controls.forEach((control, place) => control.write(record[place]));
    this.update();
  }

  render() {
    this.speech = this.speech.about(this.base, this.record);
    if (this.program.committee) this.renderVote();
    else this.renderProof();
    this.showPoints();
    this.showValues();
    this.search();
  }

  /** Show what a list decides, and the proof. */
  renderProof() {
    const proof = unless.engine.prove(this.program, this.record);
    this.proof = proof;
    this.proofs.turnTo(this.record);
    this.showDecision(proof);
    this.showChanged();
    this.mark(unless.engine.matters(proof));
    this.showProof(proof);
  }

  /** Show what a committee decides, the lists that carry it, and what the list says that imitates it. */
  renderVote() {
    const { because, matters, tally } = unless.committee;
    const found = tally(this.program, this.record);
    this.showDecision({ label: found.label, share: found.shares[found.order[0]] });
    this.showChanged();
    this.mark(matters(this.program, found));
    const { head, named } = because(this.program, this.speech, found, this.record);
    const lines = named.map((text) => el("li", {}, datum(text)));
    const text = head.replace(/^[:,] /, "");
    part("wi-proof").replaceChildren(
      el("li", {}, text[0].toUpperCase() + text.slice(1), lines.length ? ":" : ".", lines.length ? el("ul", {}, ...lines) : null),
    );
    part("wi-others").hidden = true;
    this.showImitation(found.label);
    this.showBars(found);
  }

  /** What each feature adds for the label of a committee, as bars; empty if that is not known or would take too long. */
  showBars(vote) {
    const { backgroundOf, bars, contributions } = unless.contributions;
    const known = unless.page.contributions;
    this.background = this.background || (known && backgroundOf(this.program, this.records, known));
    const found = known && contributions(this.program, this.background, this.record);
    part("wi-adds").hidden = !found || vote.order.length < 2;
    if (part("wi-adds").hidden) return;
    const rows = bars(this.program, found, vote);
    const most = Math.max(...rows.map(({ value }) => Math.abs(value)), 0);
    const other = this.speech.label(this.program.committee.classes[vote.order[1]]);
    const label = this.speech.label(vote.label);
    part("wi-adds-note").textContent =
      `Log-odds of ${label} against ${other}, compared with the mean of ${unless.words.countText(known.rows.length)} records. They add up.`;
    part("wi-bars").replaceChildren(
      ...rows.map(({ feature, value }) => {
        const bar = el("span", { class: value < 0 ? "wi-bar down" : "wi-bar", "aria-hidden": "true" });
        bar.style.setProperty("--w", String(Math.abs(value) / most));
        const text = `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(2)}`;
        return el("li", {}, datum(this.speech.has(feature, this.record[feature])), el("span", { class: "wi-adds-value" }, text), bar);
      }),
      ...(rows.length ? [] : [el("li", {}, "No feature adds anything.")]),
    );
  }

  /** What the list says that imitates the committee, marked where that is another label. */
  showImitation(decided) {
    const { rule, label } = unless.engine.follow(this.program, this.record);
    const agrees = label === decided;
    const sign = el("span", { class: agrees ? "wi-good" : "wi-bad" }, agrees ? "✓ agrees" : "✗ differs");
    const which = rule === null ? "no rule of it applies" : el("a", { href: `#rule-${rule + 1}` }, `its rule ${rule + 1}`);
    part("wi-imitation").replaceChildren(
      "The list that imitates the committee ", sign, ": ", unless.proof.chip(this.speech, label), " (", which, ")",
    );
  }

  /** The values that matter, for paper, which has no form. */
  showValues() {
    const record = `Record ${this.records.numbers[this.row]}`;
    const values = [...this.matters]
      .sort((one, other) => one - other)
      .map((place) => this.speech.has(place, this.record[place]));
    part("wi-values").textContent =
      `${record}${this.changedPlaces().length ? ", changed" : ""}: ${values.join(", ")}.`;
  }

  search() {
    const wanted = part("wi-wanted").value;
    this.nearest.ask(this.record.slice(), {
      wanted: wanted === "" ? null : Number(wanted),
      fixed: new Set(this.fixed),
      missing: part("wi-missing").checked,
    });
  }

  /** Show the decision. If it is the same as before, leave it alone, so that it is not read aloud again. */
  showDecision({ label, rule = null, share = null }) {
    const truth =
      this.changedPlaces().length || !this.records.truth ? null : this.records.truth[this.row];
    const key = JSON.stringify([label, rule, share, truth]);
    if (key === this.shown) return;
    this.shown = key;
    const figures = share === null ? this.speech.figures({ rule }) : `probability ${unless.points.measure(share)}`;
    const decided =
      share !== null
        ? "the committee"
        : rule === null
          ? "no rule applies"
          : el("a", { href: `#rule-${rule + 1}` }, `rule ${rule + 1}`);
    part("wi-decision").replaceChildren(
      el(
        "p",
        { class: "wi-label" },
        unless.proof.chip(this.speech, label),
        " ",
        el("a", { class: "wi-jump small", href: "#wi-why" }, "why"),
      ),
      el("p", { class: "small muted" }, decided, figures && `, ${figures}`),
      ...(truth === null ? [] : [this.truthNote(truth, label)]),
    );
  }

  truthNote(truth, label) {
    const right = truth === label;
    const sign = el("span", { class: right ? "wi-good" : "wi-bad" }, right ? "✓ right" : "✗ wrong");
    return el("p", { class: "small" }, sign, ": the label in the data is ", unless.proof.chip(this.speech, truth));
  }

  changedPlaces() {
    return [...this.base.keys()].filter((place) => this.base[place] !== this.record[place]);
  }

  /** A value in words; the next number, or microsecond, above a threshold of the rules is "just above" it. */
  spoken(place, value) {
    if (typeof value !== "number") return this.speech.value(place, value);
    const { notation } = this.program.features[place];
    const fine = ["datetime", "instant", "time", "duration"].includes(notation && notation.name) ? notation : null;
    const next = (threshold) => unless.nearest.above(fine, threshold);
    const below = this.program.tested[place].numbers.find((threshold) => next(threshold) === value);
    const short = below === undefined || (!notation && unless.words.bound({ op: "<=", value: below }).op === "<");
    return short ? this.speech.value(place, value) : `just above ${this.speech.value(place, below)}`;
  }

  /** Show the values that differ from the record's, each with a button to undo it. */
  showChanged() {
    const places = this.changedPlaces();
    part("wi-changed").hidden = !places.length;
    const undo = (place) => () => this.take(this.record.map((value, k) => (k === place ? this.base[place] : value)));
    const items = places.map((place) => {
      const text = `${this.spoken(place, this.base[place])} → ${this.spoken(place, this.record[place])}`;
      const name = this.speech.name(place);
      const button = el(
        "button",
        { type: "button", class: "wi-undo", onclick: undo(place), "aria-label": `Undo ${name}` },
        "undo",
      );
      return el("li", {}, datum(name), ": ", datum(text), " ", button);
    });
    part("wi-changed-list").replaceChildren(...items);
    part("wi-reset").textContent = `Reset to record ${this.records.numbers[this.row]}`;
  }

  /** Why a feature matters: the deciding rule tests it, or a change that is offered changes it; else empty. */
  mattering(place) {
    return this.matters.has(place) ? "matters" : this.offered.has(place) ? "could change it" : "";
  }

  /** Mark the features of the changes that are offered: what matters agrees with them. */
  markOffered(found) {
    this.offered = new Set(found.flatMap(({ changes }) => changes.map(({ feature }) => feature)));
    this.mark(this.matters);
  }

  /** Mark the features that matter, and those that have changed. */
  mark(matters) {
    const changed = new Set(this.changedPlaces());
    this.matters = matters;
    this.controls.forEach((control, place) => {
      control.mark(this.mattering(place), changed.has(place) ? this.spoken(place, this.base[place]) : null);
    });
    if (part("wi-only").checked) this.filter();
  }

  /** Show the controls whose names have all the words; without words and if asked, those that matter or have changed. */
  filter() {
    const words = wordsIn(part("wi-find").value);
    const only = part("wi-only").checked && !words.length;
    const changed = new Set(this.changedPlaces());
    this.controls.forEach(({ root }, place) => {
      const name = this.program.features[place].name.toLowerCase();
      const wanted = !only || this.mattering(place) || changed.has(place) || root.contains(document.activeElement);
      root.hidden = !wanted || !words.every((word) => name.includes(word));
    });
  }

  showProof(proof) {
    const none =
      proof.label === null
        ? "No rule applies, and the program has no label for such records."
        : "No rule applies; this is the label for such records.";
    part("wi-proof").replaceChildren(
      ...(proof.rule === null ? [el("li", {}, none)] : this.proofs.deciding(proof.tried[proof.rule])),
    );
    const others = part("wi-others");
    const count = proof.tried.length - (proof.rule === null ? 0 : 1);
    others.hidden = !count;
    const which = proof.rule === null ? "rule" : "earlier rule";
    others.querySelector("summary").textContent =
      `${unless.words.countText(count)} ${which}${count === 1 ? "" : "s"} did not apply`;
    this.showOthers();
  }

  /** The probability of the label and, as soon as it is opened or printed, the score card that it comes from. */
  showPoints(anyway = false) {
    const points = part("wi-points");
    const { card, committee } = this.program;
    points.hidden = !card && !committee;
    if (points.hidden) return;
    const { sureness, table } = committee ? unless.committee : unless.points;
    const share = sureness(this.program, this.record);
    points.querySelector("summary").textContent =
      share === null ? "Points of each label" : `Probability ${unless.points.percent(share)}: the points`;
    if (!points.open && !anyway) return;
    const [head, ...rows] = table(this.program, this.speech, this.record);
    const row = ([first, ...cells]) =>
      el("tr", {}, el("th", { scope: "row" }, datum(first)), ...cells.map((cell) => el("td", {}, cell)));
    points.querySelector("table").replaceChildren(
      el("thead", {}, el("tr", {}, ...head.map((cell) => el("th", { scope: "col" }, datum(cell))))),
      el("tbody", {}, ...rows.slice(0, -2).map(row)),
      el("tfoot", {}, ...rows.slice(-2).map(row)),
    );
  }

  /** List the rules that did not apply, as soon as the list is opened or printed. */
  showOthers(most = FOLD, anyway = false) {
    const others = part("wi-others");
    if (!others.open && !anyway) return;
    const stopped = this.proof.tried.filter((tried) => !tried.covers);
    others.querySelector("ul").replaceChildren(
      ...stopped.slice(0, most).map((tried, number) => this.proofs.stopped(tried, number)),
    );
    const button = others.querySelector("button");
    button.hidden = stopped.length <= most;
    button.textContent = `Show all ${stopped.length}`;
  }
}

ready(() => {
  const page = unless.engine.open();
  const whatIf = new WhatIf(page);
  part("wi").hidden = false;
  unless.showRecord = (row, options) => {
    whatIf.start(row, options);
    part("what-if").scrollIntoView();
    part("what-if-title").focus({ preventScroll: true });
  };
  whatIf.start(0, { quiet: true });
  whatIf.followHash();
});
