/* Which records the table shows, as an address says it: #records?rule=3&wrong. Every count on the page is such a link.

   rule=3, rule=3-7, rule=3- (and all later ones, and none), rule=none   the deciding rule, or several with commas
   true=0,2   decided=1   decided=none                                  labels by their places
   wrong   right   changed                                              compared with the data, or with the rules as edited
   differs   agrees                                                     the list beside a committee, compared with it
   part=test   part=training                                            what the rules were not, or were, learned from
   unseen=4                                                             values of a feature that training did not have
   group=2.0                                                            a group of a column (see Groups)
   text=late                                                            words in any cell */

const NAMES = ["rule", "true", "decided", "wrong", "right", "changed", "differs", "agrees", "part", "unseen", "group", "text"];

/** The filter that an address names, by its parts; null if it is not about records. */
function read(hash) {
  const found = /^#records(?:\?(.*))?$/s.exec(hash);
  if (!found) return null;
  const given = new URLSearchParams(found[1] || "");
  return Object.fromEntries(NAMES.filter((name) => given.has(name)).map((name) => [name, given.get(name)]));
}

/** The address of a filter. */
function address(filter) {
  const parts = NAMES.filter((name) => name in filter).map((name) =>
    filter[name] === "" ? name : `${name}=${encodeURIComponent(filter[name]).replace(/%2C/g, ",")}`,
  );
  return parts.length ? `#records?${parts.join("&")}` : "#records";
}

/** Whether a rule, counted from 1 or null for none, is among "3,5-7,9-,none". */
function ruleAmong(text) {
  const ranges = text.split(",").map((one) => {
    if (one === "none") return (number) => number === null;
    const [, first, dash, last] = /^([0-9]+)(-?)([0-9]*)$/.exec(one) || [];
    if (!first) return () => false;
    if (!dash) return (number) => number === Number(first);
    if (!last) return (number) => number === null || number >= Number(first);
    return (number) => number !== null && number >= Number(first) && number <= Number(last);
  });
  return (number) => ranges.some((range) => range(number));
}

/** Whether a label, by its place or null for none, is among "0,2,none". */
function labelAmong(text) {
  const places = new Set(text.split(",").map((one) => (one === "none" ? null : Number(one))));
  return (place) => places.has(place);
}

/** Whether a value belongs to a group, given what the group asks. */
function inGroup([, kind, ...asked], value) {
  if (kind === "missing") return value === null;
  if (kind === "=") return value === asked[0];
  if (kind === "other") return typeof value === "string" && !asked[0].includes(value);
  const [low, high] = asked;
  return typeof value === "number" && (low === null || value > low) && (high === null || value <= high);
}

/** Whether training did not have a value of a feature: a text, or a number outside its range. */
function isUnseen({ low, high, categories }, value) {
  if (value === null) return false;
  if (typeof value === "string") return !categories.includes(value);
  return low === null || value < low || value > high;
}

/** The test of a filter: a function of the row. `page` has program, records, groups; `decided` and `after` what the
    rules decide, as they are and as edited. */
function test(filter, { program, records, groups, decided, after }) {
  const tests = [];
  const number = (row) => (decided.rule(row) < 0 ? null : decided.rule(row) + 1);
  const on = (name, make) => name in filter && tests.push(make(filter[name]));
  on("rule", (text) => {
    const among = ruleAmong(text);
    return (row) => among(number(row));
  });
  on("decided", (text) => {
    const among = labelAmong(text);
    return (row) => among(decided.label(row));
  });
  on("true", (text) => {
    const among = labelAmong(text);
    return (row) => records.truth !== null && among(records.truth[row]);
  });
  on("wrong", () => (row) => decided.wrong(row));
  on("right", () => (row) => records.truth !== null && !decided.wrong(row));
  on("changed", () => (row) => after !== null && after.label(row) !== decided.label(row));
  on("differs", () => (row) => decided.listed(row) !== decided.label(row));
  on("agrees", () => (row) => decided.listed(row) === decided.label(row));
  on("part", (text) => (row) => records.held !== null && Boolean(records.held[row]) === (text === "test"));
  on("unseen", (place) => (row) => {
    const column = records.columns[place];
    return column !== undefined && isUnseen(program.features[place], column.values[column.codes[row]]);
  });
  on("group", (text) => {
    const [k, g] = text.split(".");
    const by = groups[k];
    const group = by && by.groups[g];
    const column = group && records.all[by.place];
    const hits = column && column.values.map((value) => inGroup(group, value));
    return (row) => Boolean(hits) && hits[column.codes[row]];
  });
  return (row) => tests.every((one) => one(row));
}

const SAID = { wrong: "wrong", right: "right", changed: "changed by your edits", differs: "the list differs", agrees: "the list agrees" };

/** What each part of a filter says: "rule 3", "true label refuse". */
function said(name, value, { speech, groups, columnName }) {
  const label = (one) => (one === "none" ? "not decided" : speech.program.texts[one] === undefined ? one : speech.label(one));
  const labels = value.split(",");
  const some = labels.slice(0, 4).map(label).join(", ") + (labels.length > 4 ? ", …" : "");
  if (name === "rule") return value === "none" ? "no rule" : `rule ${value.replace(/-$/, " and later").replace("-", " to ").replace(/,/g, ", ")}`;
  if (name === "true") return `in the data ${some}`;
  if (name === "decided") return `decided ${some}`;
  if (name === "part") return value === "test" ? "held back from learning" : "learned from";
  if (name === "unseen") return `${columnName(value)}: not seen in training`;
  if (name !== "group") return SAID[name] || `“${value}”`;
  const [k, g] = value.split(".");
  const group = groups[k] && groups[k].groups[g];
  return group ? `${columnName(groups[k].place)}: ${group[0]}` : "an unknown group";
}

unless.filters = { address, inGroup, isUnseen, labelAmong, read, ruleAmong, said, test };
