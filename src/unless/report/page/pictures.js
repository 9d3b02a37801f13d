/* Small pictures of numbers: histograms by label, with the thresholds of rules drawn on them. */

const { datum, el, part, ready } = unless.dom;

const [WIDTH, HEIGHT] = [240, 44];
const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const LINES = 60; // more thresholds would be a dark block
const GREY = 7;
const colourOf = (place) => `var(--c${place === undefined ? GREY : unless.page.colours[place]})`;

/** Where a number lies in a picture. */
const across = ({ low, high }, number) => Math.min(Math.max((number - low) / (high - low), 0), 1) * WIDTH;

/** The bars, a stack for each bin: the labels from the bottom up, the others last. */
function bars({ counts }, labels) {
  const most = Math.max(...counts.map((bin) => bin.reduce((one, other) => one + other)));
  const width = WIDTH / counts.length;
  return counts.flatMap((bin, place) => {
    let top = HEIGHT;
    return bin.flatMap((count, group) => {
      if (!count) return [];
      const height = (count / most) * (HEIGHT - 2);
      top -= height;
      const rect = svg("rect", { x: place * width, y: top, width: Math.max(width - 1, 1), height });
      rect.style.fill = colourOf(labels[group]);
      return [rect];
    });
  });
}

/** A histogram of a feature. `thresholds` are lines; `kept` is the range that a condition asks for, others are pale. */
function histogram(place, { thresholds = [], kept = null, label }) {
  const { features, labels } = unless.page.histograms;
  const picture = features[place];
  if (!picture) return null;
  const made = svg("svg", { viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, role: "img", "aria-label": label, class: "hist" });
  made.append(...bars(picture, labels));
  if (kept) {
    const [from, to] = [across(picture, kept[0]), across(picture, kept[1])];
    for (const [x, width] of [[0, from], [to, WIDTH - to]])
      if (width > 0) made.append(svg("rect", { x, y: -2, width, height: HEIGHT + 4, class: "pale" }));
  }
  for (const threshold of thresholds) {
    const x = across(picture, threshold);
    made.append(svg("line", { x1: x, x2: x, y1: -2, y2: HEIGHT + 2 }));
  }
  return made;
}

/** The ends of a condition: what is above the first and at most the second. */
function endsOf(condition) {
  const end = (op, other) => condition.filter((one) => one.op === op).map((one) => one.value)[0] ?? other;
  return [end(">", -Infinity), end("<=", Infinity)];
}

/** The pictures of all conditions of a rule that compare numbers, those of exceptions too. */
function ofRule(rule) {
  const { program } = unless.page;
  const speech = new unless.words.Speech(program, 60);
  const made = [];
  const visit = (one, exception) => {
    for (const condition of unless.engine.conditions(one.literals)) {
      if (!["<=", ">"].includes(condition[0].op)) continue;
      const text = `${exception ? "exception: " : ""}${speech.condition(condition)}`;
      const thresholds = condition.map(({ value }) => value);
      const picture = histogram(condition[0].feature, { thresholds, kept: endsOf(condition), label: `records by ${text}` });
      if (picture) made.push(el("figure", { class: "hist-box" }, picture, el("figcaption", {}, datum(text))));
    }
    one.exceptions.forEach((inner) => visit(inner, true));
  };
  visit(rule, false);
  return made.length ? [el("div", { class: "hists" }, ...made.slice(0, 24)), legend()] : [];
}

/** Which colour is which label. */
function legend() {
  const { labels } = unless.page.histograms;
  const { program, records } = unless.page;
  const speech = new unless.words.Speech(program, 30);
  const rest = program.texts.length > labels.length ? " Grey is all other labels." : "";
  const what = records.truth ? "Labels in the data" : "Decisions";
  const chips = labels.map((place) => unless.proof.chip(speech, place));
  return el("p", { class: "small muted hist-legend" }, `${what}: `, ...chips.flatMap((chip) => [chip, " "]), rest);
}

/** A histogram with all thresholds for each feature of the section of features. */
function fillFeatures() {
  for (const box of document.querySelectorAll(".features [data-feature]")) {
    const place = Number(box.dataset.feature);
    const { numbers } = unless.page.program.tested[place];
    const speech = new unless.words.Speech(unless.page.program, 60);
    const name = speech.name(place);
    const many = numbers.length > 8 ? `${numbers.length} thresholds` : numbers.map((one) => speech.value(place, one)).join(", ");
    const label = `${name}: records by value, with ${numbers.length ? `thresholds at ${many}` : "no threshold"}`;
    const picture = histogram(place, { thresholds: numbers.length > LINES ? [] : numbers, label });
    if (picture) box.append(picture);
    else box.remove();
  }
  const note = part("features-legend");
  if (note && unless.page.histograms.features.some(Boolean)) note.append(legend());
}

ready(() => {
  unless.engine.open();
  fillFeatures();
});

unless.pictures = { endsOf, histogram, legend, ofRule, svg };
