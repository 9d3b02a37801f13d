/* What would change the decision: searched in slices, so that the page stays responsive, and shown as buttons. */

const { datum, el, inSlices, part } = unless.dom;

const PATIENCE = 3000; // milliseconds of search before it asks whether to go on
const QUIET = 80; // milliseconds to wait for more changes of values before it starts

/** The nearest changes, searched in slices; a new question ends the old search. */
class NearestView {
  constructor(program, speech, { apply, shown }) {
    Object.assign(this, { program, speech, apply, shown, cancel: () => {}, timer: 0 });
    part("wi-further").addEventListener("click", () => this.goOn((before) => this.focus(before)));
  }

  /** Look for changes of a record, as soon as no value has changed for a moment. */
  ask(record, options) {
    this.stop();
    part("wi-nearest").setAttribute("aria-busy", "true");
    part("wi-further").hidden = true;
    part("wi-status").textContent = "";
    this.timer = setTimeout(() => {
      this.found = [];
      this.complete = false;
      this.options = options;
      this.record = record;
      this.search = unless.nearest.nearest(this.program, record, options);
      this.goOn();
    }, QUIET);
  }

  /** End the search. */
  stop() {
    clearTimeout(this.timer);
    this.cancel();
  }

  /** Search until three more changes are found, there are no more, or time is up; `then` gets the count before. */
  goOn(then = () => {}) {
    const before = this.found.length;
    const most = before + 3;
    part("wi-nearest").setAttribute("aria-busy", "true");
    part("wi-further").hidden = true;
    part("wi-status").textContent = this.found.length ? "" : "Looking…";
    const end = (why) => {
      this.show(why);
      then(before);
    };
    const each = (value, spent) => {
      if (value) this.found.push(value);
      const enough = this.found.length >= most;
      if (enough || spent > PATIENCE) end(enough ? "enough" : "late");
      return enough || spent > PATIENCE;
    };
    const failed = () => end("failed");
    const done = (complete) => {
      this.complete = complete === true;
      end("all");
    };
    this.cancel = inSlices(this.search, each, done, failed);
  }

  /** The button that was pressed is gone: move the focus to what it brought, or to the last answer. */
  focus(before) {
    const buttons = [...part("wi-nearest").querySelectorAll("button"), part("wi-decision")];
    buttons[Math.min(before, buttons.length - 1)].focus({ preventScroll: true });
  }

  /** Show the answers; `end` tells why the search ended. */
  show(end) {
    const list = part("wi-nearest");
    list.removeAttribute("aria-busy");
    list.replaceChildren(...this.found.map((one) => this.item(one)));
    this.shown(this.found);
    part("wi-status").textContent = this.status(end);
    part("wi-further").hidden = end === "all" || end === "failed";
  }

  /** A change, as a button that applies it. */
  item(one) {
    const full = new unless.words.Speech(this.program).about(one.record).changes(one.changes);
    const text = datum(this.speech.about(one.record).changes(one.changes), full);
    const outcome = el(
      "span",
      { class: "wi-outcome" },
      "→ ",
      unless.proof.chip(this.speech, one.label),
      ` (${this.reason(one)})`,
    );
    const press = () => {
      if (!part("wi-nearest").hasAttribute("aria-busy")) this.apply(one.record); // else it belongs to other values
    };
    return el("li", {}, el("button", { type: "button", class: "button", onclick: press }, text, " ", outcome));
  }

  /** The rule that decides a changed record; of a committee, the probability of its label. */
  reason({ rule, record }) {
    const { committee, measure } = { committee: this.program.committee, measure: unless.points.measure };
    return committee ? measure(unless.committee.sureness(this.program, record)) : unless.words.ruleText(rule);
  }

  /** What to say about the search of a committee's changes, which may not be through all of them. */
  committeeStatus(end) {
    if (this.found.length) {
      if (this.found.some(({ proven }) => !proven)) return "Each is checked with the committee. Nearer ones may exist: not all combinations are tried.";
      return end === "all" && this.complete ? "There are no others." : "These are the nearest: all changes of as many features were tried.";
    }
    if (end === "enough" || end === "late") return `The search stopped after ${PATIENCE / 1000} seconds. There may be a change that it has not found yet.`;
    const { wanted } = this.options;
    const free = unless.nearest.freeFeatures(this.program, this.record, this.options);
    return this.speech.notFound(free, wanted, this.complete);
  }

  /** What to say about the search, besides its answers. */
  status(end) {
    if (this.program.committee && end !== "failed") return this.committeeStatus(end);
    const count = this.found.length;
    if (end === "late") {
      const more = count
        ? "These are the nearest; there may be more."
        : "There may be a change that it has not found yet.";
      return `The search stopped after ${PATIENCE / 1000} seconds. ${more}`;
    }
    if (end === "failed") return "The search failed because of a bug in this page: please report it.";
    if (end === "enough") return "";
    if (count) return count === 1 ? "There is no other." : "There are no others.";
    const free = unless.nearest.freeFeatures(this.program, this.record, this.options);
    const { wanted } = this.options;
    if (free.length <= 8) return this.speech.nothing(free, wanted);
    const goal = wanted === null ? "another label" : this.speech.label(wanted);
    return `Nothing would change it: no allowed change of the ${free.length} features that may change gives ${goal}.`;
  }
}

unless.changes = { NearestView };
