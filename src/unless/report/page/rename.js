/* A reader's own words for features, values, labels and the page's purpose; they stay in the browser, and are saved as
   the TOML that `unless report --words` reads (unless/explanation/wordsfile.py). */
(() => {
  "use strict";
  const unless = (globalThis.unless = globalThis.unless || {});

  const USUAL = { name: null, number: "{}", sentence: "{name} is {value}", missing: "{name} is missing", values: {} };
  const DECISION = "{target} {label}";

  /** A text in TOML; half of a surrogate pair, which no file can hold, becomes a question mark. */
  function quoted(text) {
    const whole = text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "?");
    return JSON.stringify(whole).replace(/\x7f/g, "\\u007f");
  }

  function phraseLines(name, phrase, grouped) {
    const said = ["name", "number", "sentence", "missing"].filter((part) => phrase[part] !== null && phrase[part] !== USUAL[part]);
    const values = Object.entries(phrase.values).map(([value, text]) => `${quoted(value)} = ${quoted(text)}`);
    const head = `features.${quoted(name)}`;
    return [
      "",
      `[${head}]`,
      ...said.map((part) => `${part} = ${quoted(phrase[part])}`),
      ...(grouped ? ["grouped = true"] : []),
      ...(values.length ? ["", `[${head}.values]`, ...values] : []),
    ];
  }

  /** Words as TOML: { purpose, decision, labels: [[label, text]], features: [[name, phrase]], grouped: [name] }. */
  function toml({ purpose, decision, labels, features, grouped }) {
    const lines = [];
    if (purpose) lines.push(`purpose = ${quoted(purpose)}`);
    if (decision !== DECISION) lines.push(`decision = ${quoted(decision)}`);
    if (labels.length) lines.push("", "[labels]", ...labels.map(([label, text]) => `${quoted(label)} = ${quoted(text)}`));
    const phrases = new Map(features);
    const names = new Set([...phrases.keys(), ...[...grouped].sort(unless.engine.compareTexts)]);
    for (const name of names) lines.push(...phraseLines(name, phrases.get(name) || USUAL, grouped.includes(name)));
    return `${lines.join("\n").replace(/^\n+/, "")}\n`;
  }

  /** The words of a page with a reader's own instead: { purpose, labels: { place: text }, features: { place: phrase } }. */
  function merged(data, own) {
    const { words, features, label_names: names } = data;
    const labels = new Map(words.labels);
    for (const [place, text] of Object.entries(own.labels)) {
      if (text) labels.set(names[place], text);
      else labels.delete(names[place]);
    }
    const phrases = new Map(words.features);
    for (const [place, phrase] of Object.entries(own.features))
      phrases.set(features[place].name, { ...USUAL, ...phrases.get(features[place].name), ...phrase });
    return { ...words, purpose: own.purpose ?? words.purpose, labels: [...labels], features: [...phrases] };
  }

  /** The data of a page, said in a reader's own words. */
  function overlaid(data, own) {
    if (!own) return data;
    const { labels, features } = merged(data, own);
    const [texts, phrases] = [new Map(labels), new Map(features)];
    return {
      ...data,
      label_texts: data.label_names.map((name) => texts.get(name) || unless.words.printable(name)),
      features: data.features.map((one) => ({ ...one, phrase: phrases.get(one.name) || one.phrase })),
    };
  }

  /** What was kept, if it fits the page. */
  function read(kept, data) {
    const fits = kept && typeof kept === "object" && kept.labels && kept.features;
    if (!fits) return null;
    const known = (size) => ([place]) => Number(place) < size;
    const labels = Object.entries(kept.labels).filter(known(data.label_names.length)).filter(([, text]) => typeof text === "string");
    const phrase = ({ name, number, values }) => ({
      name: typeof name === "string" && name ? name : null,
      number: isNumber(number) ? number : "{}",
      values: Object.fromEntries(Object.entries(values || {}).filter(([, text]) => typeof text === "string" && text)),
    });
    const features = Object.entries(kept.features).filter(known(data.features.length)).map(([place, one]) => [place, phrase(one || {})]);
    const purpose = typeof kept.purpose === "string" ? kept.purpose : data.words.purpose;
    return { purpose, labels: Object.fromEntries(labels), features: Object.fromEntries(features) };
  }

  /** Whether a text says how numbers are written: its only place is {}. */
  const isNumber = (text) => typeof text === "string" && (text.match(/\{\w*\}/g) || []).every((place) => place === "{}");

  unless.rename = { isNumber, merged, overlaid, quoted, read, toml };
  if (!globalThis.document) return;

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
    for (const select of document.querySelectorAll("#rule-filter select")) {
      const texts = { label: (place) => speech.label(place), feature: (place) => speech.name(place) }[select.name];
      for (const option of texts ? [...select.options].slice(1) : []) option.textContent = texts(option.value);
    }
    for (const { li, number } of unless.ruleList.items) {
      within(li);
      if (number) reword(li, program.rules[number - 1], speech);
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
})();
