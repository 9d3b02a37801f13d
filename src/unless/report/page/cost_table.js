/* The table of costs that a reader fills in, the total, and the threshold on the probability that costs least. */

const { best, probability, thresholds, total, usual } = unless.costs;
const { el, part, perFrame, ready } = unless.dom;
const money = (number) => unless.words.numberText(Number(number.toPrecision(12)), true);

class Costs {
  constructor({ program, confusion, curves }) {
    Object.assign(this, { program, confusion, curves, size: confusion.length });
    this.speech = new unless.words.Speech(program, 24);
    const kept = unless.out.kept("costs");
    const fits = Array.isArray(kept) && kept.length === this.size && kept.flat().every(Number.isFinite);
    this.costs = fits && kept.every((row) => row.length === this.size + 1) ? kept : usual(this.size);
    this.update = perFrame(() => this.show());
    part("costs-reset").addEventListener("click", () => {
      this.costs = usual(this.size);
      unless.out.keep("costs", null);
      this.make();
      this.show();
    });
    this.make();
    this.show();
  }

  /** The table of costs; "not decided" is there if some records are not. */
  make() {
    const undecided = this.confusion.some((row) => row[this.size]);
    const columns = [...Array(this.size + Number(undecided)).keys()];
    const name = (place) => (place === this.size ? "not decided" : this.speech.label(place));
    const head = (place) => el("th", { scope: "col" }, place === this.size ? "not decided" : unless.proof.chip(this.speech, place));
    const cell = (row, column) => {
      const field = el("input", {
        type: "text",
        inputmode: "decimal",
        size: 5,
        autocomplete: "off",
        value: unless.words.spell(this.costs[row][column]),
        "aria-label": `cost of ${name(row)} decided as ${name(column)}`,
      });
      field.addEventListener("input", () => this.change(field, row, column));
      const count = el("span", { class: "muted small" }, `× ${unless.words.countText(this.confusion[row][column])}`);
      return el("td", { class: row === column ? "ok" : "" }, field, " ", count);
    };
    const corner = el("th", { scope: "col", class: "corner" }, "true ↓   decided →");
    const rows = this.confusion.map((_, row) =>
      el("tr", {}, el("th", { scope: "row" }, unless.proof.chip(this.speech, row)), ...columns.map((column) => cell(row, column))),
    );
    part("costs-table").replaceChildren(
      el("thead", {}, el("tr", {}, corner, ...columns.map(head))),
      el("tbody", {}, ...rows),
    );
  }

  change(field, row, column) {
    const value = unless.controls.typedNumber(field.value);
    const good = value !== null && Number.isFinite(value);
    if (good) field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    if (!good) return;
    this.costs[row][column] = value;
    unless.out.keep("costs", this.costs);
    this.update();
  }

  show() {
    const records = this.confusion.flat().reduce((one, other) => one + other);
    const cost = total(this.confusion, this.costs);
    part("costs-total").textContent =
      `All ${unless.words.countText(records)} decisions together cost ${money(cost)}, ${(cost / records).toFixed(3)} for each record.`;
    if (this.curves) this.showThreshold(cost);
  }

  /** The threshold that costs least, and the cost of all thresholds as a line. */
  showThreshold(now) {
    const { labels } = this.curves;
    const own = labels.map((row) => labels.map((column) => this.costs[row][column]));
    const found = thresholds(this.curves, own);
    const least = best(found);
    const [negative, positive] = labels.map((place) => unless.proof.chip(this.speech, place));
    const words = ["It would cost least, ", el("b", {}, money(least.cost)), ` instead of ${money(now)}, to decide `];
    const say =
      least.points === Infinity
        ? [...words, negative, " always."]
        : [...words, positive, " from a probability of ", el("b", {}, unless.points.percent(probability(least.points))), " on."];
    if (least.cost >= now) say.splice(0, say.length, `No threshold on the probability costs less than the ${this.program.committee ? "committee as it is" : "rules as they are"}.`);
    const note = el("p", { class: "note" }, "Found on the records of this page: check a threshold on others before you use it.");
    part("costs-threshold").replaceChildren(el("p", {}, ...say), this.line(found, least), note);
  }

  line(found, least) {
    const { svg } = unless.pictures;
    const most = Math.max(...found.map(({ cost }) => cost)) || 1;
    const at = ({ points, cost }) => [300 * probability(points), 80 * (1 - cost / most)];
    const step = Math.ceil(found.length / 300);
    const drawn = found.filter((_, k) => k % step === 0 || k === found.length - 1);
    const [x, y] = at(least);
    const label = `cost by threshold, from ${money(found[0].cost)} at 0 % to ${money(found[found.length - 1].cost)} at 100 %`;
    return svg(
      "svg",
      { viewBox: "-4 -6 308 92", class: "cost-line", role: "img", "aria-label": label },
      svg("polyline", { points: drawn.map((one) => at(one).map((v) => v.toFixed(1)).join(",")).join(" ") }),
      svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 4 }),
    );
  }
}

ready(() => {
  const page = unless.engine.open();
  if (!part("costs-box") || !page.confusion) return;
  unless.costsView = new Costs(page);
  part("costs-box").hidden = false;
});
