/* The list of rules: filtered, sorted and, if it is long, a page at a time; a rule as text or SQL. */
const SQL = "A condition in standard (ANSI) SQL. For the dialect of your database, and all rules in one query: unless export --to sql --dialect";
const { el, inSlices, part, perFrame, ready, wordsIn } = unless.dom;

const PAGE = 30; // rules that are shown at a time
const LONG = 40; // a list with more rules has pages
const MOST = 400; // a list with more rules is never shown as a whole: it would scroll in jerks

const SORTS = {
  "": () => 0,
  n: (one, other) => other.decided - one.decided,
  x: (one, other) => other.wrong - one.wrong,
  p: (one, other) => other.wrong / (other.decided || 1) - one.wrong / (one.decided || 1),
  l: (one, other) => one.label - other.label,
};

/** The list. Only the rules of a page are in the document: thousands of rules would make it slow. */
class RuleList {
  constructor() {
    this.list = document.querySelector("ol.rules");
    this.items = [...this.list.children].map((li, place) => this.read(li, place));
    this.total = this.items.filter((item) => item.number).length;
    [this.page, this.all, this.shown] = [0, this.items.length <= LONG, this.items];
    this.form = part("rule-filter");
    this.listen();
    this.apply();
    inSlices(this.ahead());
  }

  read(li, place) {
    const { l, f, n, x } = li.dataset;
    const number = li.id ? place + 1 : null;
    return { li, place, number, label: Number(l), features: f, decided: Number(n), wrong: Number(x), words: null };
  }

  /** Make the texts for the search while nobody waits. */
  *ahead() {
    for (const item of this.items) yield void this.textOf(item);
  }

  textOf(item) {
    const say = item.li.querySelector(".say");
    item.words = item.words || (say ? say.textContent.replace(/\s+/g, " ").toLowerCase() : "");
    return item.words;
  }

  listen() {
    if (!("few" in this.form.dataset)) {
      this.form.addEventListener("input", perFrame(() => this.apply()));
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.form.hidden = false;
    }
    part("rule-previous").addEventListener("click", () => this.turn(this.page - 1));
    part("rule-next").addEventListener("click", () => this.turn(this.page + 1));
    part("rule-all").addEventListener("click", () => this.toggleAll());
    this.list.addEventListener("toggle", (event) => this.openTools(event.target), true);
    window.addEventListener("beforeprint", () => this.forPaper());
    window.addEventListener("afterprint", () => this.show());
  }

  /** Show the rules that have all the words, the label and the feature of the filter, in the order asked for. */
  apply() {
    const { text, label, feature, sort } = this.form.elements;
    const words = wordsIn(text.value);
    const fits = (item) =>
      (!label.value || item.label === Number(label.value)) &&
      (!feature.value || item.features.split(" ").includes(feature.value)) &&
      words.every((word) => this.textOf(item).includes(word));
    const order = SORTS[sort.value];
    this.shown = this.items.filter(fits).sort((one, other) => order(one, other) || one.place - other.place);
    const count = this.shown.filter((item) => item.number).length;
    this.form.querySelector("output").textContent =
      count === this.total ? "" : `${unless.words.countText(count)} of ${unless.words.countText(this.total)} rules`;
    this.turn(0);
  }

  turn(page) {
    this.page = Math.min(Math.max(page, 0), Math.ceil(this.shown.length / PAGE) - 1);
    this.show();
  }

  toggleAll() {
    this.all = !this.all;
    this.turn(0);
  }

  get onPage() {
    return this.all ? this.shown : this.shown.slice(this.page * PAGE, (this.page + 1) * PAGE);
  }

  show() {
    const items = this.onPage;
    this.list.replaceChildren(...items.map((item) => this.withTools(item).li));
    const pages = part("rule-pages");
    pages.hidden = this.items.length <= LONG;
    const { countText } = unless.words;
    const first = this.page * PAGE;
    part("rule-page").textContent = this.all
      ? `all ${countText(this.shown.length)}`
      : `${countText(items.length ? first + 1 : 0)} to ${countText(first + items.length)} of ${countText(this.shown.length)}`;
    part("rule-previous").disabled = this.all || this.page <= 0;
    part("rule-next").disabled = this.all || first + PAGE >= this.shown.length;
    part("rule-all").hidden = this.items.length > MOST;
    part("rule-all").textContent = this.all ? `Show ${PAGE} at a time` : "Show all";
    if (unless.rulesShown) unless.rulesShown(items);
  }

  /** The fold of a rule with what can be done with it; its content is made when it is opened. */
  withTools(item) {
    if (!item.number || item.tools) return item;
    const name = el("span", { class: "sr" }, ` for rule ${item.number}`);
    item.tools = el("details", { class: "rule-more" }, el("summary", {}, "more", name));
    item.tools.dataset.rule = item.number - 1;
    item.li.querySelector(".say").append(item.tools);
    return item;
  }

  openTools(fold) {
    if (!fold.matches || !fold.matches(".rule-more") || !fold.open || fold.childElementCount > 1) return;
    const place = Number(fold.dataset.rule);
    const { program } = unless.engine.open();
    const rule = () => (unless.editor && unless.editor.ruleNow(place)) || program.rules[place];
    const copy = (words, text, title = "") =>
      el("button", { type: "button", class: "button", title, onclick: (event) => unless.out.copy(text(), event.target) }, words);
    const buttons = el(
      "p",
      { class: "rule-copy" },
      copy("copy as text", () => unless.texts.ruleText(rule(), program)),
      program.sql && copy("copy as SQL", () => unless.texts.ruleSql(rule(), place + 1, program), SQL),
    );
    fold.append(buttons, ...unless.pictures.ofRule(rule()));
  }

  /** Put the rules into another order, given by their places in the program. */
  reorder(order) {
    order.forEach((rule, place) => (this.items[rule].place = place));
    this.items.filter((item) => !item.number).forEach((item) => (item.place = order.length));
    const { page } = this;
    this.apply();
    this.turn(page);
  }

  /** The page that has a rule, without a filter if that hides it. */
  reveal(li) {
    const own = (item) => item.li === li;
    if (!this.shown.some(own)) {
      this.form.reset();
      this.apply();
    }
    if (!this.all) this.turn(Math.floor(this.shown.findIndex(own) / PAGE));
  }

  find(id) {
    const item = this.items.find(({ li }) => li.id === id);
    return item ? item.li : null;
  }

  /** On paper there are no pages; on a single sheet there are the busiest rules. */
  forPaper() {
    const busiest = [...this.items].sort((one, other) => other.decided - one.decided).slice(0, 8);
    const one = document.documentElement.classList.contains("one-page");
    const items = one ? this.items.filter((item) => busiest.includes(item)) : this.shown;
    this.list.replaceChildren(...items.map((item) => item.li));
  }
}

ready(() => {
  unless.ruleList = new RuleList();
});
