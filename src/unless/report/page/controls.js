/* Controls for the values of a record: one per feature, for numbers, texts, both in one column, and missing. */
(() => {
  "use strict";
  const { unless } = globalThis;
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
  function middle({ low, high, step }) {
    if (low === null || !Number.isFinite(high - low)) return 0;
    const steps = step ? Math.round((high - low) / 2 / step) * step : (high - low) / 2;
    return Number((low + steps).toPrecision(12));
  }

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
    const field = el("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      class: "wi-number",
      "aria-label": name,
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
      field.value = unless.words.spell(value);
    };
    field.addEventListener("input", () => {
      const value = typedNumber(field.value);
      if (value === null) return say(`not a number; still ${unless.words.numberText(valid, feature.grouped)}`);
      accept(value);
      return changed(value);
    });
    if (slider) {
      slider.addEventListener("input", () => {
        write(Number(slider.value));
        changed(valid);
      });
    }
    const track = slider && el("span", { class: "wi-track" }, slider, ticks(feature, thresholds));
    return {
      root: el("span", { class: "wi-edit" }, field, track, wrong),
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
  function slide(slider, value, { grouped }) {
    if (!slider) return;
    slider.value = Math.min(Math.max(value, slider.min), slider.max);
    slider.setAttribute("aria-valuetext", unless.words.numberText(value, grouped));
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

  /** An editor of a few texts: a list, with "other…" for any other text. */
  function listEditor(categories, speech, feature, name, changed) {
    const other = fieldEditor([], `${name}, other text`, changed);
    const shown = categories.map((category, k) => el("option", { value: k }, speech.value(feature, category)));
    const list = el(
      "select",
      { "aria-label": name, dir: "auto" },
      ...shown,
      el("option", { value: "other" }, "other…"),
    );
    const show = (chosen) => {
      list.value = chosen;
      other.root.hidden = chosen !== "other";
    };
    list.addEventListener("change", () => {
      show(list.value);
      if (list.value !== "other") return changed(categories[Number(list.value)]);
      other.inputs[0].focus();
      return changed(other.inputs[0].value);
    });
    const write = (text) => {
      const place = categories.indexOf(text);
      if (place < 0) other.write(text);
      show(place < 0 ? "other" : String(place));
    };
    const root = el("span", { class: "wi-edit" }, list, other.root);
    show("");
    return { root, inputs: [list, ...other.inputs], write, clear: () => show(""), usual: () => categories[0] };
  }

  /** An editor of numbers or texts: what kind it is, and the editor of that kind. */
  function mixedEditor(number, text, name, changed) {
    const option = (value) => el("option", { value }, value);
    const kind = el("select", { "aria-label": `${name}, kind`, class: "wi-kind" }, option("number"), option("text"));
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
    const { kind, categories } = program.features[place];
    const has = (type) => records.columns[place].values.some((value) => typeof value === type);
    return {
      texts: [...new Set([...categories, ...program.tested[place].texts])],
      numeric: kind !== "text" || has("number"),
      textual: kind !== "number" || has("string"),
    };
  }

  /** The editor for the kind of a feature. */
  function editorOf(program, records, place, speech, changed) {
    const feature = program.features[place];
    const name = speech.name(place);
    const { texts, numeric, textual } = vocabulary(program, records, place);
    const number = () => numberEditor(feature, name, program.tested[place].numbers, changed);
    const few = texts.length && texts.length <= FEW;
    const text = () => (few ? listEditor(texts, speech, place, name, changed) : fieldEditor(texts, name, changed));
    return numeric && textual ? mixedEditor(number(), text(), name, changed) : numeric ? number() : text();
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
      mark(matters, old) {
        root.classList.toggle("matters", matters);
        root.classList.toggle("changed", old !== null);
        mark.hidden = !matters;
        was.textContent = old === null ? "" : `was ${old}`;
      },
    };
  }

  unless.controls = { control, typedNumber };
})();
