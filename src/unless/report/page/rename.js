/* A reader's own words for features, values, labels and the page's purpose; they stay in the browser, and are saved as
   the TOML that `unless report --words` reads (unless/explanation/words_file.py). */

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
