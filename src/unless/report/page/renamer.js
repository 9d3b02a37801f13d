/* The form for a reader's own words, and the page said in them. */

const { isNumber, merged, toml } = unless.rename;
const { datum, el, part, ready } = unless.dom;
const VALUES = 40; // the most categories of a feature that get a field each

class Renamer {
  constructor({ data, original }) {
    Object.assign(this, { data, original });
    this.own = unless.page.own || { purpose: original.words.purpose, labels: {}, features: {} };
    part("words").addEventListener("toggle", () => part("words").open && this.make(), { once: true });
    part("words-apply").addEventListener("click", () => this.apply());
    part("words-save").addEventListener("click", () =>
      unless.out.save("words.toml", toml(merged(this.original, this.own)), "application/toml"),
    );
    part("words-reset").addEventListener("click", () => {
      unless.out.keep("words", null);
      window.location.reload();
    });
    part("words-reset").disabled = !unless.page.own;
  }

  field(label, value, placeholder, change) {
    const made = el("input", { type: "text", autocomplete: "off", dir: "auto", value, placeholder, "aria-label": label });
    made.addEventListener("input", () => {
      const wrong = change(made.value) === false;
      if (wrong) made.setAttribute("aria-invalid", "true");
      else made.removeAttribute("aria-invalid");
    });
    return made;
  }

  make() {
    const { data } = this;
    const purpose = el("textarea", { rows: 2, "aria-label": "purpose of the page", dir: "auto" });
    purpose.value = this.own.purpose;
    purpose.addEventListener("input", () => (this.own.purpose = purpose.value));
    const labels = data.label_names.slice(0, 60).map((name, place) => {
      const texts = new Map(merged(this.original, this.own).labels);
      const field = this.field(`words for the label ${name.slice(0, 80)}`, texts.get(name) || "", name.slice(0, 80), (text) => {
        this.own.labels[place] = text;
      });
      return el("tr", {}, el("th", { scope: "row" }, datum(unless.words.printable(unless.words.shortened(name, 60)), name)), el("td", {}, field));
    });
    part("words-body").replaceChildren(
      el("h3", {}, "Purpose"),
      purpose,
      el("h3", {}, "Labels"),
      this.table("Words for labels", ["label", "is called"], labels),
      el("h3", {}, "Features"),
      this.table("Words for features", ["feature", "is called", "numbers, with unit", "values"], data.features.map((_, place) => this.feature(place))),
    );
  }

  table(label, heads, rows) {
    const head = el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text))));
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, el("table", { class: "words-table" }, head, el("tbody", {}, ...rows)));
  }

  feature(place) {
    const { name, categories, phrase, notation } = this.data.features[place];
    const short = unless.words.shortened(name, 60);
    const now = () => (this.own.features[place] = this.own.features[place] || { name: phrase.name, number: phrase.number, values: { ...phrase.values } });
    const called = this.field(`words for the feature ${short}`, phrase.name || "", short, (text) => {
      now().name = text || null;
    });
    const number = this.field(`numbers of ${short}, with {} for the number`, phrase.number, "{} €", (text) => {
      const good = isNumber(text || "{}");
      if (good) now().number = text || "{}";
      return good;
    });
    const texts = (Array.isArray(notation) ? notation : categories).slice(0, VALUES);
    const values = texts.map((value) => {
      const set = (text) => {
        if (text) now().values[value] = text;
        else delete now().values[value];
      };
      const field = this.field(`words for the value ${value.slice(0, 60)} of ${short}`, phrase.values[value] || "", value.slice(0, 60), set);
      return el("label", {}, datum(unless.words.plainText(unless.words.shortened(value, 30)), value), " ", field);
    });
    const fold = values.length ? el("details", {}, el("summary", {}, `${values.length} values`), ...values) : "";
    return el("tr", {}, el("th", { scope: "row" }, datum(unless.words.printable(short), name)), el("td", {}, called), el("td", {}, number), el("td", {}, fold));
  }

  /** Keep the words, and show the page in them. */
  apply() {
    if (unless.out.keep("words", this.own)) window.location.reload();
    else part("words-note").textContent = "This browser keeps nothing; save the words as a file instead.";
  }
}

/** Say the parts of the page that were written before in the reader's own words. */
function patch() {
  const { program, own } = unless.page;
  const speech = new unless.words.Speech(program, 60);
  const purpose = part("purpose");
  purpose.textContent = own.purpose;
  purpose.hidden = !own.purpose;
  const say = (holder, text) => {
    const spot = holder.querySelector("bdi") || holder;
    spot.textContent = text;
  };
  const within = (root) => {
    for (const chip of root.querySelectorAll(".chip[data-l]")) say(chip, speech.label(chip.dataset.l));
    for (const name of root.querySelectorAll("[data-name]"))
      if (program.features[name.dataset.name]) say(name, speech.name(name.dataset.name));
  };
  within(document);
  nameGroups(speech);
  for (const select of document.querySelectorAll("#rule-filter select")) {
    const texts = { label: (place) => speech.label(place), feature: (place) => speech.name(place) }[select.name];
    for (const option of texts ? [...select.options].slice(1) : []) option.textContent = texts(option.value);
  }
  for (const { li, number } of unless.ruleList.items) {
    within(li);
    if (number) reword(li, program.rules[number - 1], speech);
  }
}

/** The groups of features that have words of their own, as evaluation/subgroups.py names them. */
function nameGroups(speech) {
  const { groups, program } = unless.page;
  for (const { place, groups: own } of groups.filter((one) => one.place < program.features.length))
    for (const group of own) {
      const [, kind, ...asked] = group;
      const ends = ["above", "at most"].map((how, k) => [how, asked[k]]).filter(([, end]) => end !== null);
      if (kind === "=") group[0] = speech.value(place, asked[0]);
      if (kind === "between") group[0] = ends.map(([how, end]) => `${how} ${speech.value(place, end)}`).join(" and ");
    }
  for (const spot of document.querySelectorAll("[data-group]")) {
    const [k, g] = spot.dataset.group.split(".").map(Number);
    spot.textContent = groups[k].groups[g][0];
  }
}

/** The sentence of a rule, as the page writes it, in other words. */
function reword(li, rule, speech) {
  const conditions = unless.engine.conditions;
  const asks = (one) => conditions(one.literals).map((condition) => speech.condition(condition)).join(" and ") || "always";
  const [line] = li.querySelectorAll(".say > p");
  const chip = line.querySelector(".chip");
  if (rule.literals.length) line.replaceChildren(chip, " ", el("span", { class: "and" }, "if"), " ", datum(asks(rule)));
  const lines = [...li.querySelectorAll(".exc:not(.edit-now) li")];
  const inner = (one) => one.exceptions.flatMap((exception) => [exception, ...inner(exception)]);
  inner(rule).forEach((exception, k) => {
    const own = lines[k];
    if (!own) return;
    const nested = own.querySelector(":scope > ul");
    own.replaceChildren(el("span", { class: "unless" }, "unless"), " ", datum(asks(exception)), nested || "");
  });
}

ready(() => {
  const page = unless.engine.open();
  unless.renamer = new Renamer(page);
  part("words").hidden = false;
  if (page.own) patch();
});
