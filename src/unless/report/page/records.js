/* The table of records: searched, filtered by links, sorted and paged; a record starts a what-if. */

const { datum, el, inSlices, part, perFrame, ready, wordsIn } = unless.dom;

const PAGE = 25;
const SHORT = 40; // the most characters of a cell
const PAPER = 12; // the most columns that are printed: more would be a letter wide
const UNKNOWN = -2;
const NONE = -1;

/** The sampled records, and what the program decides for each, computed on demand. */
class Decided {
  constructor({ program, records }) {
    Object.assign(this, { program, records });
    this.rules = new Int32Array(records.shown).fill(UNKNOWN);
    this.labels = new Map();
  }

  /** The place of the rule that decides, or that takes the record in the list beside a committee; -1 if there is none. */
  rule(row) {
    if (this.rules[row] === UNKNOWN) {
      const { rule } = unless.engine.follow(this.program, this.records.record(row));
      this.rules[row] = rule === null ? NONE : rule;
    }
    return this.rules[row];
  }

  /** The place of the label; null if the record is not decided. */
  label(row) {
    if (!this.program.committee) return this.listed(row);
    if (!this.labels.has(row)) this.labels.set(row, unless.engine.decide(this.program, this.records.record(row)).label);
    return this.labels.get(row);
  }

  /** The place of the label in the list: of a committee, that of the list that imitates it. */
  listed(row) {
    const rule = this.rule(row);
    return rule === NONE ? this.program.otherwise : this.program.rules[rule].label;
  }

  wrong(row) {
    return this.records.truth !== null && this.records.truth[row] !== this.label(row);
  }

  /** Decide them all, one by one. */
  *all() {
    for (let row = 0; row < this.records.shown; row++) yield void [this.rule(row), this.label(row)];
  }
}

/** The order of values: numbers, texts by code points, missing last. */
function compareValues(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return typeof one === "number" ? (one < other ? -1 : one > other ? 1 : 0) : unless.engine.compareTexts(one, other);
}

/** What to sort the rows of a column by: the rank of the value, Infinity if it is missing. */
function ranksOf({ values, codes }) {
  const order = [...values.keys()].sort((one, other) => compareValues(values[one], values[other]));
  const ranks = new Array(values.length);
  order.forEach((place, rank) => (ranks[place] = values[place] === null ? Infinity : rank));
  return (row) => ranks[codes[row]];
}

/** A cell as text: numbers as in sentences, texts as they are, unless they cannot be seen. */
function cellText(feature, value, most = Infinity) {
  const { printable, shortened, written } = unless.words;
  if (value === null) return "missing";
  if (typeof value === "number" && !isLevel(feature)) return written(feature, value);
  return printable(shortened(typeof value === "number" ? written(feature, value) : value, most));
}

/** Whether the numbers of a feature are levels of an order, and so texts for people. */
const isLevel = ({ notation }) => Boolean(notation && notation.levels);

/** What the search looks into, lower case: a number also without groups. */
function searched(feature, value) {
  const text = cellText(feature, value);
  const plain = typeof value === "number" && !unless.notation.isWritten(feature.notation);
  return (plain ? `${text} ${unless.words.spell(value)}` : text).toLowerCase();
}

/** Searches rows: every word must occur in some cell, in the number, or in a label. */
class Index {
  constructor(decided) {
    Object.assign(this, { decided, records: decided.records });
    this.labels = decided.program.texts.map((text) => text.toLowerCase());
    this.texts = new Map();
  }

  /** The distinct cells of a column as the search sees them; made when first needed. */
  column(place) {
    if (!this.texts.has(place)) {
      const column = this.records.all[place];
      const feature = this.decided.program.features[place] || column;
      this.texts.set(
        place,
        column.values.map((value) => searched(feature, value)),
      );
    }
    return this.texts.get(place);
  }

  has(row, word) {
    const label = (place) => place !== null && this.labels[place].includes(word);
    const { numbers, truth } = this.records;
    return (
      String(numbers[row]).includes(word) || label(this.decided.label(row)) || (truth !== null && label(truth[row]))
    );
  }

  /** The rows that have the word. */
  withWord(rows, word) {
    const found = new Uint8Array(this.records.shown);
    this.records.all.forEach(({ codes }, place) => {
      const hits = this.column(place).map((text) => text.includes(word));
      if (hits.includes(true)) for (const row of rows) if (hits[codes[row]]) found[row] = 1;
    });
    return rows.filter((row) => found[row] || this.has(row, word));
  }

  find(rows, text) {
    return wordsIn(text).reduce((left, word) => this.withWord(left, word), rows);
  }
}

/** A value for other programs: numbers as numbers, dates and levels as they are written, special codes as codes. */
function rawValue({ notation, special = [] }, value) {
  const code = special.find(([, name]) => name === value);
  if (code) return code[0];
  return typeof value === "number" && unless.notation.isWritten(notation) ? notation.text(value) : value;
}

/** The table. */
class Records {
  constructor(page) {
    Object.assign(this, { ...page, decided: new Decided(page), after: null, page: 0, current: null, where: {} });
    this.speech = new unless.words.Speech(page.program, SHORT);
    this.index = new Index(this.decided);
    this.columns = this.makeColumns();
    this.sorted = { column: this.columns[0], down: false };
    this.rows = [...Array(page.records.shown).keys()];
    this.shown = this.rows;
    this.makeHead();
    this.makeFilters();
    this.listen();
    if (!this.followHash()) this.show();
    inSlices(this.ahead());
  }

  /** Work ahead while nobody waits: decide all records, count them, and make the texts for the search. */
  *ahead() {
    yield* this.decided.all();
    yield void this.countFilters();
    for (const place of this.records.all.keys()) yield void this.index.column(place);
  }

  /** The columns: their names, what they are sorted by, and their cells. */
  makeColumns() {
    const { program, records, decided } = this;
    const numbers = { name: "record", rank: (row) => row, cell: (row) => this.startCell(row) };
    const decision = {
      name: "decision",
      rank: (row) => decided.label(row) ?? Infinity,
      cell: (row) => this.labelCell(decided.label(row), null),
    };
    const listed = {
      name: "the list says",
      rank: (row) => decided.listed(row) ?? Infinity,
      cell: (row) => this.labelCell(decided.listed(row), decided.listed(row) === decided.label(row) ? null : " ✗ differs"),
      raw: (row) => this.labelRaw(decided.listed(row)),
    };
    const rule = {
      name: program.committee ? "rule of the list" : "rule",
      rank: (row) => (decided.rule(row) < 0 ? Infinity : decided.rule(row)),
      cell: (row) => el("td", {}, decided.rule(row) === NONE ? "none" : String(decided.rule(row) + 1)),
    };
    const truth = {
      name: "in the data",
      rank: (row) => records.truth[row] ?? Infinity,
      cell: (row) => this.labelCell(records.truth[row], decided.wrong(row) ? " ✗ wrong" : null),
    };
    this.edited = {
      name: "after your edits",
      rank: (row) => this.after.label(row) ?? Infinity,
      cell: (row) =>
        this.labelCell(this.after.label(row), this.after.label(row) === decided.label(row) ? null : " changed"),
      raw: (row) => this.labelRaw(this.after.label(row)),
    };
    const held = {
      name: "used for",
      rank: (row) => records.held[row],
      cell: (row) => el("td", {}, records.held[row] ? "test" : "learning"),
      raw: (row) => (records.held[row] ? "test" : "learning"),
    };
    numbers.raw = (row) => records.numbers[row];
    decision.raw = (row) => this.labelRaw(decided.label(row));
    truth.raw = (row) => this.labelRaw(records.truth[row]);
    rule.raw = (row) => (decided.rule(row) === NONE ? null : decided.rule(row) + 1);
    const features = program.features.map((feature, place) => this.featureColumn(feature, place));
    const others = records.others.map((other, place) => this.featureColumn(other, program.features.length + place));
    const own = [numbers, decision, ...(records.truth ? [truth] : []), ...(program.committee ? [listed] : []), rule, ...(records.held ? [held] : [])];
    const names = others.filter((column) => column.identifier);
    return [...own, ...names, ...features, ...others.filter((column) => !column.identifier)];
  }

  /** The columns now: with the decisions of the edited rules, if there are any. */
  get now() {
    return this.after ? [...this.columns.slice(0, 2), this.edited, ...this.columns.slice(2)] : this.columns;
  }

  labelRaw(place) {
    return place === null ? null : this.program.names[place];
  }

  /** A column of cells: of a feature, or one that no rule tests. */
  featureColumn(feature, place) {
    const column = this.records.all[place];
    const mixed = column.values.some((value) => typeof value === "number") && !isLevel(feature);
    let rank = null; // made when the column is first sorted by
    return {
      name: this.program.features[place] ? this.speech.name(place) : unless.words.shortened(feature.shown, SHORT),
      full: feature.name,
      identifier: feature.identifier,
      raw: (row) => rawValue(feature, column.values[column.codes[row]]),
      rank: (row) => (rank = rank || ranksOf(column))(row),
      cell: (row) => this.cell(feature, column.values[column.codes[row]], mixed),
    };
  }

  makeHead() {
    for (const column of [...this.columns, this.edited]) {
      const press = () => this.sortBy(column);
      const name = datum(column.name, column.full || column.name);
      column.head = el("th", { scope: "col" }, el("button", { type: "button", onclick: press }, name));
    }
    this.showHead();
  }

  showHead() {
    part("rec-head").replaceChildren(...this.now.map((column) => column.head));
    this.now.forEach(({ head }, place) => head.classList.toggle("not-printed", place >= PAPER));
    const more = this.now.length - PAPER;
    part("rec-paper").textContent =
      more > 0 ? `${PAPER} of ${this.now.length} columns are printed; the table in the file has them all.` : "";
  }

  makeFilters() {
    const any = () => el("option", { value: "" }, "any");
    const labels = unless.nearest.labelsOf(this.program);
    const label = (place) => el("option", { value: place }, this.speech.label(place));
    part("rec-decision").append(any(), ...labels.map(label), el("option", { value: "none" }, "not decided"));
    const rule = (_, number) => el("option", { value: number }, `rule ${number + 1}`);
    part("rec-rule").append(any(), ...this.program.rules.map(rule), el("option", { value: NONE }, "no rule"));
    part("rec-wrong-label").hidden = !this.records.truth;
    part("rec-differs-label").hidden = !this.program.committee;
  }

  /** Add the number of records to each choice, and leave out choices without records. */
  countFilters() {
    const count = (select, key) => {
      const counts = new Map();
      for (const row of this.rows) counts.set(key(row), (counts.get(key(row)) || 0) + 1);
      for (const option of [...select.options].slice(1)) {
        const found = counts.get(option.value);
        if (found) option.textContent += ` (${unless.words.countText(found)})`;
        else option.remove();
      }
    };
    count(part("rec-rule"), (row) => String(this.decided.rule(row)));
    count(part("rec-decision"), (row) => String(this.decided.label(row) ?? "none"));
  }

  listen() {
    const change = perFrame(() => this.filter(true));
    part("rec-tools").addEventListener("input", change);
    part("rec-tools").addEventListener("submit", (event) => event.preventDefault());
    const go = (id, page) => part(id).addEventListener("click", () => this.turn(page()));
    go("rec-first", () => 0);
    go("rec-previous", () => this.page - 1);
    go("rec-next", () => this.page + 1);
    go("rec-last", () => this.pages - 1);
    part("rec-csv").addEventListener("click", () => this.save());
    part("rec-clear").addEventListener("click", () => this.clear());
    window.addEventListener("hashchange", () => this.followHash());
    part("rec-body").addEventListener("click", (event) => this.press(event));
    part("rec-body").addEventListener("keydown", (event) => this.move(event));
  }

  get pages() {
    return Math.max(1, Math.ceil(this.shown.length / PAGE));
  }

  /** Everything that the table is filtered by: what a link said, and what the form says. */
  get asked() {
    const [decision, rule, text] = ["rec-decision", "rec-rule", "rec-search"].map((id) => part(id).value);
    return {
      ...this.where,
      ...(decision ? { decided: decision } : {}),
      ...(rule ? { rule: Number(rule) === NONE ? "none" : String(Number(rule) + 1) } : {}),
      ...(part("rec-wrong").checked ? { wrong: "" } : {}),
      ...(part("rec-differs").checked ? { differs: "" } : {}),
      ...(text.trim() ? { text } : {}),
    };
  }

  /** Show the records of a link, if the address is one; tells whether it is. */
  followHash() {
    const found = unless.filters.read(location.hash);
    if (!found) return false;
    const { text = "", ...where } = found;
    part("rec-tools").reset();
    part("rec-search").value = text;
    this.where = where;
    this.filter();
    part("records").scrollIntoView();
    part("records-title").focus({ preventScroll: true });
    return true;
  }

  clear(name = null) {
    if (name === null) {
      this.where = {};
      part("rec-tools").reset();
    } else delete this.where[name];
    this.filter(true);
    part(name === null ? "rec-search" : "records-title").focus({ preventScroll: true });
  }

  /** What a link asked for, each with a button that takes it back. */
  showChips() {
    const columnName = (place) => (this.program.features[place] ? this.speech.name(place) : (this.records.all[place] || {}).shown);
    const about = { speech: this.speech, groups: this.groups, columnName };
    const chips = Object.entries(this.where).map(([name, value]) => {
      const words = unless.filters.said(name, value, about);
      const drop = el("button", { type: "button", "aria-label": `Remove the filter: ${words}`, onclick: () => this.clear(name) }, "×");
      return el("li", {}, datum(words), " ", drop);
    });
    part("rec-chips").replaceChildren(...chips);
    part("rec-clear").hidden = !Object.keys(this.asked).length;
  }

  /** Show the records asked for; `typed` by a reader, this becomes the address, so that it can be kept and sent. */
  filter(typed = false) {
    const { asked } = this;
    const fits = unless.filters.test(asked, this);
    this.shown = this.index.find(this.rows.filter(fits), asked.text || "");
    if (typed) history.replaceState(null, "", unless.filters.address(asked));
    this.showChips();
    this.order();
  }

  /** The records shown, all of them, as CSV. */
  save() {
    const head = this.now.map((column) => column.full || column.name);
    const rows = this.shown.map((row) => this.now.map((column) => column.raw(row)));
    unless.out.save("records.csv", unless.out.csv([head, ...rows]), "text/csv");
  }

  /** Compare with the decisions of edited rules; null if there are none. */
  compare(program) {
    this.after = program && new Decided({ program, records: this.records });
    if (!program && this.sorted.column === this.edited) this.sorted = { column: this.columns[0], down: false };
    this.showHead();
    this.filter();
  }

  sortBy(column) {
    this.sorted = { column, down: this.sorted.column === column && !this.sorted.down };
    this.order();
  }

  /** Sort the rows: missing values last in both directions, equal values by number. */
  order() {
    const { column, down } = this.sorted;
    const ranks = new Map(this.shown.map((row) => [row, column.rank(row)]));
    const sign = down ? -1 : 1;
    const by = (one, other) => {
      const [a, b] = [ranks.get(one), ranks.get(other)];
      if (a === b) return one - other;
      return a === Infinity ? 1 : b === Infinity ? -1 : sign * (a - b);
    };
    this.shown = [...this.shown].sort(by);
    this.turn(0);
  }

  turn(page) {
    this.page = Math.min(Math.max(page, 0), this.pages - 1);
    this.show();
  }

  show() {
    const rows = this.shown.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const none = [
      el("tr", {}, el("td", { colspan: this.now.length, class: "muted" }, "No record matches.")),
    ];
    part("rec-body").replaceChildren(...(rows.length ? rows.map((row) => this.rowOf(row)) : none));
    for (const column of this.now) {
      const own = column === this.sorted.column;
      if (own) column.head.setAttribute("aria-sort", this.sorted.down ? "descending" : "ascending");
      else column.head.removeAttribute("aria-sort");
    }
    this.showPlace();
  }

  showPlace() {
    const { countText } = unless.words;
    const { shown, total } = this.records;
    const of =
      shown < total ? `${countText(shown)} sampled records (of ${countText(total)})` : `${countText(total)} records`;
    part("rec-caption").textContent = `${countText(this.shown.length)} of ${of}`;
    part("rec-page").textContent = `page ${countText(this.page + 1)} of ${countText(this.pages)}`;
    for (const id of ["rec-first", "rec-previous"]) part(id).disabled = this.page === 0;
    for (const id of ["rec-next", "rec-last"]) part(id).disabled = this.page === this.pages - 1;
  }

  rowOf(row) {
    const made = el("tr", { "data-row": row, "aria-current": row === this.current ? "true" : null });
    made.append(...this.now.map((column) => column.cell(row)));
    for (const cell of [...made.children].slice(PAPER)) cell.classList.add("not-printed");
    return made;
  }

  startCell(row) {
    const number = this.records.numbers[row];
    const button = el(
      "button",
      { type: "button", class: "rec-start", "aria-label": `What if, from record ${number}` },
      "what if",
    );
    return el("th", { scope: "row" }, `${number} `, button);
  }

  /** A label and, if something is wrong with it, a note. */
  labelCell(place, note) {
    return el("td", {}, unless.proof.chip(this.speech, place), note && el("span", { class: "wi-bad small" }, note));
  }

  /** A cell; a text that reads like a number of the same column, or like a missing value, is in quotes. */
  cell(feature, value, mixed) {
    if (value === null) return el("td", { class: "muted" }, "missing");
    if (typeof value === "number" && !isLevel(feature)) return el("td", { class: "num" }, cellText(feature, value));
    const text = mixed || cellText(feature, value) === "missing" ? unless.words.plainText : (own) => own;
    return el("td", {}, datum(text(cellText(feature, value, SHORT)), text(cellText(feature, value))));
  }

  /** A click on a row starts from its record; one on selected text does not. */
  press(event) {
    const row = event.target.closest("tr[data-row]");
    if (row && !String(window.getSelection())) unless.showRecord(Number(row.dataset.row), { push: true });
  }

  /** Up and down move between the buttons of the rows. */
  move(event) {
    const row = event.target.closest("tr");
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (!next) return;
    event.preventDefault();
    next.querySelector("button").focus();
  }

  /** Mark the record that the what-if started from. */
  mark(current) {
    this.current = current;
    for (const row of part("rec-body").querySelectorAll("tr[data-row]")) {
      if (Number(row.dataset.row) === current) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}

ready(() => {
  const page = unless.engine.open();
  part("rec").hidden = false;
  const table = new Records(page);
  unless.compareRecords = (program) => table.compare(program);
  unless.markRecord = (row) => table.mark(row);
  table.mark(unless.shownRecord === undefined ? null : unless.shownRecord);
});
