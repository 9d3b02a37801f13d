/* Controls for the values of a record: one per feature, for numbers, dates, texts, both in one column, and missing. */

const { datum, el } = unless.dom;

const FEW = 30; // the most categories for a list; with more, the reader types
const TICKS = 60; // the most thresholds to mark

/** The number that a person typed: as files spell it, in groups (18,400), or infinite. */
function typedNumber(text) {
  const trimmed = text.trim();
  const infinite = /^([+-]?)(?:inf|∞)$/i.exec(trimmed);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const plain = /^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?$/.test(trimmed) ? trimmed.replace(/,/g, "") : trimmed;
  return unless.words.numberIn(plain);
}

/** The middle of the training range, on a step. */
function middle({ low, high, step, notation }) {
  if (low === null || !Number.isFinite(high - low)) return 0;
  const steps = step ? Math.round((high - low) / 2 / step) * step : (high - low) / 2;
  return notation ? low + steps : Number((low + steps).toPrecision(12)); // decimals leave a rest, whole numbers none
}

const MILLISECOND = 1000; // in microseconds: the finest time that a browser's own field can hold
const NATIVE = {
  date: { type: "date", max: "9999-12-31", unit: unless.notation.DAY },
  datetime: { type: "datetime-local", max: "9999-12-31T23:59:59.999", unit: MILLISECOND },
  instant: { type: "datetime-local", max: "9999-12-31T23:59:59.999", unit: MILLISECOND },
  time: { type: "time", unit: MILLISECOND },
};
const PLAIN = { type: "text", inputmode: "decimal" };

/** How a field spells the numbers of a feature: `set(field, value)`, `read(text)`, and its attributes. */
function spellingOf({ notation, step }) {
  const native = NATIVE[notation && notation.name];
  if (!unless.notation.isWritten(notation)) {
    const set = (field, value) => (field.value = unless.words.spell(value));
    return { set, read: typedNumber, attributes: notation ? { ...PLAIN, inputmode: "numeric" } : PLAIN };
  }
  const set = (field, value) => {
    const text = notation.text(value);
    const fits = native && value % native.unit === 0 && Number.isFinite(value);
    field.type = fits ? native.type : "text";
    field.value = fits && native.type === "datetime-local" ? localText(text) : text;
  };
  const seconds = native && native.unit === MILLISECOND ? Math.min(step / 1e6, 60) : null;
  const attributes = native ? { type: native.type, max: native.max ?? null, step: seconds } : { type: "text" };
  return { set, read: notation.back, attributes };
}

/** A moment as a browser's field has it: 2020-08-01T00:00. */
const localText = (text) => text.replace(/Z$/, "").replace(/^\S+$/, "$& 00:00").replace(" ", "T");

const EXAMPLES = { duration: " (such as 2 d 3 h)", instant: " in UTC" };

/** Where the rules divide the numbers of a feature: thin lines under its slider. */
function ticks({ low, high }, thresholds) {
  const inside = thresholds.filter((threshold) => threshold >= low && threshold <= high);
  const row = el("span", { class: "wi-ticks", "aria-hidden": "true" });
  for (const threshold of inside.length > TICKS ? [] : inside) {
    const tick = el("i");
    tick.style.setProperty("--at", (threshold - low) / (high - low));
    row.append(tick);
  }
  return row;
}

/* An editor has a `root`, its `inputs`, `write(value)`, `clear()` for a missing value, and `usual()`: the value to
   start with if there was none. It calls `changed(value)`. */

/** An editor of numbers: a field, and a slider over the training range. Typed numbers may be outside the range. */
function numberEditor(feature, name, thresholds, changed) {
  const { notation } = feature;
  const spelling = spellingOf(feature);
  const zoned = notation && notation.name === "instant";
  const field = el("input", {
    ...spelling.attributes,
    autocomplete: "off",
    class: notation ? `wi-number wi-${notation.name}` : "wi-number",
    "aria-label": zoned ? `${name}, in UTC` : name,
  });
  const wrong = el("span", { class: "wi-wrong", role: "alert" });
  const slider = sliderOf(feature, name);
  const say = (text) => {
    wrong.textContent = text;
    if (text) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  };
  let valid = null; // the number that counts while the text in the field is not a number
  const accept = (value) => {
    valid = value;
    say("");
    slide(slider, value, feature);
  };
  const write = (value) => {
    accept(value);
    spelling.set(field, value);
  };
  const sort = unless.words.sortOf(notation) + ((notation && EXAMPLES[notation.name]) || "");
  field.addEventListener("input", () => {
    const value = spelling.read(field.value);
    if (value === null) return say(`not ${sort}; still ${unless.words.written(feature, valid)}`);
    accept(value);
    return changed(value);
  });
  field.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!steps || field.type !== "text" || !notation) return;
    event.preventDefault();
    write(valid + steps * feature.step);
    changed(valid);
  });
  if (slider) {
    slider.addEventListener("input", () => {
      write(Number(slider.value));
      changed(valid);
    });
  }
  const track = slider && el("span", { class: "wi-track" }, slider, ticks(feature, thresholds));
  return {
    root: el("span", { class: "wi-edit" }, field, zoned ? el("span", { class: "small muted" }, "UTC") : null, track, wrong),
    inputs: [field, slider].filter(Boolean),
    write,
    clear: () => {
      say("");
      field.value = "";
    },
    usual: () => middle(feature),
  };
}

/** A slider over the training range; null if there is no such range. */
function sliderOf({ low, high, step }, name) {
  if (low === null || !(high > low) || !Number.isFinite(high - low)) return null;
  return el("input", {
    type: "range",
    min: low,
    max: high,
    step: step || "any",
    "aria-label": `${name}, slider`,
  });
}

/** Move a slider as close to a value as it can go. */
function slide(slider, value, feature) {
  if (!slider) return;
  slider.value = Math.min(Math.max(value, slider.min), slider.max);
  slider.setAttribute("aria-valuetext", unless.words.written(feature, value));
}

let lists = 0;

/** An editor of texts: a field that offers the known ones. Fields have no line breaks, so it compares without them. */
function fieldEditor(categories, name, changed) {
  const known = new Map(categories.map((category) => [category.replace(/[\r\n]/g, ""), category]));
  const list = el("datalist", { id: `wi-list-${lists++}` });
  const field = el("input", { type: "text", autocomplete: "off", dir: "auto", list: list.id, "aria-label": name });
  field.addEventListener("input", () => changed(known.get(field.value) ?? field.value));
  field.addEventListener(
    "focus",
    () => list.append(...Array.from(known.keys(), (text) => el("option", { value: text }))),
    { once: true }, // a thousand options per feature are made only when they are needed
  );
  const write = (text) => (field.value = text);
  const root = el("span", { class: "wi-edit" }, field, list);
  return { root, inputs: [field], write, clear: () => write(""), usual: () => categories[0] ?? "" };
}

/** An editor of a few values: a list, in which `textual` adds "other…" for any other text. */
function listEditor(choices, textual, speech, feature, name, changed) {
  const other = fieldEditor([], `${name}, other text`, changed);
  const shown = choices.map((choice, k) => el("option", { value: k }, speech.value(feature, choice)));
  const list = el(
    "select",
    { "aria-label": name, dir: "auto" },
    ...shown,
    textual ? el("option", { value: "other" }, "other…") : null,
  );
  const show = (chosen) => {
    list.value = chosen;
    other.root.hidden = chosen !== "other";
  };
  list.addEventListener("change", () => {
    show(list.value);
    if (list.value !== "other") return changed(choices[Number(list.value)]);
    other.inputs[0].focus();
    return changed(other.inputs[0].value);
  });
  const write = (value) => {
    const place = choices.indexOf(value);
    if (place < 0) other.write(value);
    show(place < 0 ? "other" : String(place));
  };
  const root = el("span", { class: "wi-edit" }, list, other.root);
  show("");
  return { root, inputs: [list, ...other.inputs], write, clear: () => show(""), usual: () => choices[0] };
}

/** An editor of numbers or texts: what kind it is, and the editor of that kind. */
function mixedEditor(number, text, { notation }, name, changed) {
  const option = (value, shown) => el("option", { value }, shown);
  const sort = unless.words.sortOf(notation).replace(/^a /, "");
  const options = [option("number", sort), option("text", "text")];
  const kind = el("select", { "aria-label": `${name}, kind`, class: "wi-kind" }, ...options);
  const now = () => (kind.value === "number" ? number : text);
  const write = (value) => {
    kind.value = typeof value === "number" ? "number" : "text";
    number.root.hidden = now() !== number;
    text.root.hidden = now() !== text;
    now().write(value);
  };
  kind.addEventListener("change", () => {
    const value = now().usual();
    write(value);
    changed(value);
  });
  write(number.usual());
  return {
    root: el("span", { class: "wi-edit" }, kind, number.root, text.root),
    inputs: [kind, ...number.inputs, ...text.inputs],
    write,
    clear: () => now().clear(),
    usual: () => now().usual(),
  };
}

/** The texts of a feature in training and in the rules, and whether it may be a number, a text, or both. */
function vocabulary(program, records, place) {
  const { kind, categories, special = [] } = program.features[place];
  const has = (type) => records.columns[place].values.some((value) => typeof value === type);
  return {
    texts: [...new Set([...categories, ...program.tested[place].texts])],
    numeric: kind !== "text" || has("number"),
    textual: kind !== "number" || special.length > 0 || has("string"),
  };
}

/** The numbers to choose from, if they are few and known: 0 and 1, or the levels of an order; else null. */
function numbersOf({ notation }, { values }) {
  if (notation && notation.levels) return [...notation.levels.keys()];
  const others = values.some((value) => typeof value === "number" && value !== 0 && value !== 1);
  return notation && notation.name === "flag" && !others ? [0, 1] : null;
}

/** The editor for the kind of a feature. */
function editorOf(program, records, place, speech, changed) {
  const feature = program.features[place];
  const name = speech.name(place);
  const { texts, numeric, textual } = vocabulary(program, records, place);
  const typed = (value) => changed(typeof value === "string" ? unless.notation.readText(feature.notation, value) : value);
  const choices = numbersOf(feature, records.columns[place]);
  if (choices) return listEditor([...choices, ...texts], textual, speech, place, name, typed);
  const codes = new Map(feature.special ?? []); // a special code that is typed is the category that it names
  const coded = (value) => changed(codes.get(value) ?? value);
  const number = () => numberEditor(feature, name, program.tested[place].numbers, coded);
  const few = texts.length && texts.length <= FEW;
  const text = () => (few ? listEditor(texts, true, speech, place, name, typed) : fieldEditor(texts, name, typed));
  return numeric && textual ? mixedEditor(number(), text(), feature, name, changed) : numeric ? number() : text();
}

/** An editor of a threshold: a level of an order, or a number over the training range. */
function thresholdEditor(feature, name, thresholds, changed) {
  const { notation } = feature;
  if (!notation || !notation.levels) return numberEditor(feature, name, thresholds, changed);
  const options = notation.levels.map((level, place) => el("option", { value: place }, level));
  const list = el("select", { "aria-label": name, dir: "auto" }, ...options);
  list.addEventListener("change", () => changed(Number(list.value)));
  return { root: el("span", { class: "wi-edit" }, list), inputs: [list], write: (value) => (list.value = String(value)) };
}

/** The control of a feature: name, editor, "missing", "keep". It calls `changed(value)` and `kept(whether)`. */
function control(program, records, place, speech, { changed, kept }) {
  const { name } = program.features[place];
  let last = null;
  const editor = editorOf(program, records, place, speech, (value) => changed((last = value)));
  const missing = el("input", { type: "checkbox" });
  const keep = el("input", { type: "checkbox" });
  const write = (value) => {
    missing.checked = value === null;
    editor.inputs.forEach((input) => (input.disabled = value === null));
    if (value === null) editor.clear();
    else editor.write((last = value));
  };
  missing.addEventListener("change", () => {
    write(missing.checked ? null : (last ?? editor.usual()));
    changed(missing.checked ? null : last);
  });
  keep.addEventListener("change", () => kept(keep.checked));
  const mark = el("span", { class: "wi-mark", hidden: true }, "matters");
  const was = el("span", { class: "wi-was" });
  const root = el(
    "div",
    { class: "wi-control", role: "group", "aria-label": speech.name(place) },
    el("div", { class: "wi-name" }, datum(speech.name(place), name), " ", mark, was),
    editor.root,
    el(
      "div",
      { class: "wi-toggles" },
      el("label", { class: "wi-check" }, missing, " missing"),
      el("label", { class: "wi-check", title: "leave it out of the changes that are proposed" }, keep, " keep"),
    ),
  );
  return {
    root,
    write,
    /** Forget the value to restore after "missing": another record begins. */
    forget: () => (last = null),
    /** `matters` is what the mark says, empty for none; `old` the value before a change. */
    mark(matters, old) {
      root.classList.toggle("matters", Boolean(matters));
      root.classList.toggle("changed", old !== null);
      mark.hidden = !matters;
      mark.textContent = matters;
      was.textContent = old === null ? "" : `was ${old}`;
    },
  };
}

unless.controls = { control, thresholdEditor, typedNumber };
