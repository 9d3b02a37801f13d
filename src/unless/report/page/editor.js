/* Edit mode: rules and exceptions off and on, thresholds moved, rules moved; what it changes, at once; and the result. */

const { datum, el, inSlices, part, perFrame, ready } = unless.dom;

class Editor {
  constructor({ program, records }) {
    Object.assign(this, { program, records, editing: false, before: [], cancel: () => {} });
    this.speech = new unless.words.Speech(program, 40);
    this.edit = unless.edit.read(unless.out.kept("edit"), program);
    this.update = perFrame(() => this.show());
    this.panels = new Map();
    this.listen();
    unless.rulesShown = (items) => this.dress(items);
    if (!unless.edit.isNone(this.edit)) this.reorder();
    this.show();
    this.dress(unless.ruleList.onPage);
  }

  listen() {
    part("edit").addEventListener("click", () => this.toggle());
    part("edit-undo").addEventListener("click", () => this.undo());
    part("edit-reset").addEventListener("click", () => this.set(unless.edit.none(this.program)));
    part("edit-json").addEventListener("click", () =>
      unless.out.save("rules-edited.json", unless.texts.programJson(this.after), "application/json"),
    );
    part("edit-text").addEventListener("click", () =>
      unless.out.save("rules-edited.txt", `${unless.texts.programText(this.after)}\n`, "text/plain"),
    );
    part("edit-done").addEventListener("click", () => this.toggle());
  }

  toggle() {
    this.editing = !this.editing;
    part("edit").setAttribute("aria-pressed", String(this.editing));
    part("edit").textContent = this.editing ? "Stop editing" : "Edit the rules";
    document.documentElement.classList.toggle("editing", this.editing);
    this.dress(unless.ruleList.onPage);
    this.show();
  }

  /** Take another edit; the one before can be taken back. */
  set(edit, { remember = true } = {}) {
    const moved = edit.order.join() !== this.edit.order.join();
    if (remember) this.before.push(this.edit);
    this.edit = edit;
    this.safe = unless.out.keep("edit", unless.edit.isNone(edit) ? null : edit);
    if (moved) this.reorder();
    this.dress(unless.ruleList.onPage);
    this.update();
  }

  undo() {
    if (!this.before.length) return;
    this.set(this.before.pop(), { remember: false });
    this.panels.clear();
    this.dress(unless.ruleList.onPage);
  }

  reorder() {
    unless.ruleList.reorder(this.edit.order);
  }

  // Changes of an edit: each gives another one.

  switched(path) {
    const { off } = this.edit;
    return { ...this.edit, off: off.includes(path) ? off.filter((one) => one !== path) : [...off, path] };
  }

  movedTo(key, value, original) {
    const moved = { ...this.edit.moved, [key]: value };
    if (value === original) delete moved[key];
    return { ...this.edit, moved };
  }

  placed(rule, at) {
    const order = this.edit.order.filter((one) => one !== rule);
    order.splice(Math.min(Math.max(at, 0), order.length), 0, rule);
    return { ...this.edit, order };
  }

  /** Give the rules that are shown their panels, or the sentence as edited. */
  dress(items) {
    const plain = !this.editing && unless.edit.isNone(this.edit);
    if (plain && !this.dressed) return;
    this.dressed = !plain;
    const after = new Map();
    const program = unless.edit.edited(this.program, this.edit);
    program.sources.forEach((place, k) => after.set(place, program.rules[k]));
    for (const item of items) {
      if (!item.number) continue;
      const rule = item.number - 1;
      const off = !after.has(rule);
      const touched = off || this.isTouched(rule);
      item.li.classList.toggle("off", off);
      item.li.classList.toggle("touched", touched);
      this.dressOne(item, rule, touched && !off ? after.get(rule) : null);
    }
  }

  /** A rule as the page shows it: as edited, unless it is switched off. */
  ruleNow(rule) {
    return this.after.rules[this.after.sources.indexOf(rule)];
  }

  isTouched(rule) {
    const own = (path) => path === String(rule) || path.startsWith(`${rule}.`) || path.startsWith(`${rule}|`);
    return this.edit.off.some(own) || Object.keys(this.edit.moved).some(own);
  }

  dressOne(item, rule, after) {
    const say = item.li.querySelector(".say");
    for (const old of say.querySelectorAll(":scope > .edit-panel, :scope > .edit-now")) old.remove();
    if (after) say.prepend(this.sentence(after));
    if (this.editing) say.append(this.panel(rule));
  }

  /** The rule as edited, in words. */
  sentence(rule) {
    const tell = ({ exceptions }) =>
      exceptions.length
        ? [el("ul", {}, ...exceptions.map((one) => el("li", {}, el("span", { class: "unless" }, "unless"), " ", datum(this.speech.asks(one)), ...tell(one))))]
        : [];
    const head = el("p", {}, el("span", { class: "mark" }, "as edited"), " ", unless.proof.chip(this.speech, rule.label), " if ", datum(this.speech.asks(rule)));
    return el("div", { class: "edit-now exc" }, head, ...tell(rule));
  }

  /** The panel of a rule; it is made once, so that a slider stays in the hand that moves it. */
  panel(rule) {
    if (!this.panels.has(rule)) this.panels.set(rule, this.makePanel(rule));
    const { root, refresh } = this.panels.get(rule);
    refresh();
    return root;
  }

  makePanel(rule) {
    const number = rule + 1;
    const position = () => this.edit.order.indexOf(rule);
    const move = (words, label, step) =>
      el("button", { type: "button", class: "button", "aria-label": `Move rule ${number} ${label}`, onclick: (event) => {
        this.set(this.placed(rule, position() + step));
        unless.ruleList.reveal(unless.ruleList.items.find((item) => item.number === number).li);
        (event.target.disabled ? event.target.parentNode.querySelector("button:not(:disabled)") : event.target).focus();
      } }, words);
    const at = el("span", { class: "muted small" });
    const [up, down] = [move("↑", "up", -1), move("↓", "down", 1)];
    const refreshes = [];
    const root = el(
      "div",
      { class: "edit-panel", role: "group", "aria-label": `Edit rule ${number}` },
      el("p", { class: "edit-line" }, this.toggleOf(String(rule), `rule ${number} is used`, refreshes), up, down, at),
      this.fold(rule, refreshes),
    );
    const refresh = () => {
      at.textContent = `place ${position() + 1} of ${this.edit.order.length}`;
      up.disabled = position() === 0;
      down.disabled = position() === this.edit.order.length - 1;
      refreshes.forEach((one) => one());
    };
    return { root, refresh };
  }

  /** The fold of a rule with its thresholds and exceptions, made when it is opened; a rule may have none. */
  fold(rule, refreshes) {
    const { literals, exceptions } = this.program.rules[rule];
    if (!literals.length && !exceptions.length) return null;
    const fold = el("details", { class: "edit-fold" }, el("summary", {}, "thresholds and exceptions"));
    const fill = () => {
      const made = [];
      fold.append(...this.body(this.program.rules[rule], String(rule), `rule ${rule + 1}`, made));
      made.forEach((one) => one());
      refreshes.push(...made);
    };
    fold.addEventListener("toggle", fill, { once: true });
    return fold;
  }

  /** A box that switches a rule or an exception off and on. */
  toggleOf(path, words, refreshes) {
    const box = el("input", { type: "checkbox", onchange: () => this.set(this.switched(path)) });
    refreshes.push(() => (box.checked = !this.edit.off.includes(path)));
    return el("label", { class: "wi-check" }, box, ` ${words}`);
  }

  /** The conditions of a rule or an exception, thresholds as fields, and its exceptions. */
  body(rule, path, name, refreshes) {
    const conditions = rule.literals.map((literal, k) => this.condition(literal, `${path}|${k}`, name, refreshes));
    const exceptions = rule.exceptions.map((one, k) => {
      const inner = `${path}.${k}`;
      const words = `exception ${inner.split(".").slice(1).map((place) => Number(place) + 1).join(".")} is used`;
      return el("li", {}, this.toggleOf(inner, words, refreshes), ...this.body(one, inner, `${name}, ${words.replace(" is used", "")}`, refreshes));
    });
    return [
      conditions.length ? el("ul", { class: "edit-conditions" }, ...conditions) : null,
      exceptions.length ? el("ul", { class: "edit-exceptions" }, ...exceptions) : null,
    ].filter(Boolean);
  }

  condition(literal, key, name, refreshes) {
    const feature = this.program.features[literal.feature];
    const movable = ["<=", ">"].includes(literal.op) && !(feature.notation && feature.notation.name === "flag" && literal.notation);
    if (!movable) return el("li", {}, datum(this.speech.condition([literal])));
    // "At least 3" is kept as above the last number before 3, and shown as it is said.
    const { op, value: original } = unless.words.bound(literal);
    const kept = (value) => (op === literal.op ? value : -unless.engine.nextUp(-value));
    const shown = (value) => (op === literal.op ? value : unless.engine.nextUp(value) + 0);
    const change = (value) => this.set(this.movedTo(key, kept(value), literal.value), { remember: !this.isSliding(key) });
    const words = `${this.speech.name(literal.feature)} ${this.program.operators[op]}`;
    const editor = unless.controls.thresholdEditor(feature, `${words} (${name})`, [original], change);
    const was = el("span", { class: "wi-was" });
    refreshes.push(() => {
      const value = this.edit.moved[key] ?? literal.value;
      if (!editor.root.contains(document.activeElement)) editor.write(shown(value));
      was.textContent = value === literal.value ? "" : `was ${this.speech.value(literal.feature, original)}`;
    });
    editor.write(shown(this.edit.moved[key] ?? literal.value));
    return el("li", {}, el("span", { class: "edit-words" }, datum(words)), editor.root, was);
  }

  /** Whether the same threshold moved a moment ago: a slide is one change to take back. */
  isSliding(key) {
    const now = performance.now();
    const same = this.slid && this.slid.key === key && now - this.slid.at < 1000;
    this.slid = { key, at: now };
    return Boolean(same);
  }

  /** Find and say what the edit changes. */
  show() {
    this.cancel();
    const none = unless.edit.isNone(this.edit);
    part("edit-bar").hidden = none && !this.editing;
    this.after = unless.edit.edited(this.program, this.edit);
    for (const id of ["edit-reset", "edit-json", "edit-text"]) part(id).disabled = none;
    part("edit-undo").disabled = !this.before.length;
    part("edit-done").hidden = !this.editing;
    unless.compareRecords(none ? null : this.after);
    if (none) return this.say(null);
    const work = unless.edit.effect(this.program, this.after, this.records);
    const whole = (function* whole() {
      yield { done: yield* work };
    })();
    this.cancel = inSlices(whole, (value) => {
      if (value && value.done) this.say(value.done);
      return false;
    });
    return undefined;
  }

  /** That the page has only some of the records, if so: the figures are about these. */
  sampled() {
    const { shown, total } = this.records;
    return shown < total ? ` on this page, drawn from ${unless.words.countText(total)},` : "";
  }

  say(found) {
    const { words: { countText }, points: { measure } } = unless;
    const link = part("edit-records");
    link.hidden = !found || !found.changed;
    if (!found) {
      part("edit-effect").textContent = "Switch rules and exceptions off, move them and their thresholds: what that changes is shown here at once.";
      return;
    }
    const changes = this.edit.off.length + Object.keys(this.edit.moved).length + (this.edit.order.every((one, k) => one === k) ? 0 : 1);
    const some = `${countText(changes)} ${changes === 1 ? "edit" : "edits"}: ${countText(found.changed)} of ${countText(found.records)} records${this.sampled()} ${found.changed === 1 ? "is" : "are"} decided otherwise`;
    const held = this.records.held ? `of the ${countText(found.judged)} that were held back, ` : "";
    const right = found.judged
      ? `; ${held}${countText(found.better)} become right, ${countText(found.worse)} become wrong; accuracy ${measure(found.before / found.judged)} → ${measure(found.after / found.judged)}`
      : "";
    const lost = this.safe === false ? " This browser keeps nothing: save the rules before you close the page." : "";
    part("edit-effect").textContent = `${some}${right}.${lost}`;
  }
}

ready(() => {
  const page = unless.engine.open();
  if (!page.program.rules.length || page.program.committee) return; // the list beside a committee decides nothing
  unless.editor = new Editor(page);
  part("rule-tools").hidden = false;
});
