/* How cells are read. `to_javascript` copies the functions that a program needs; the report page uses them all. */

// The text of a Date, which is an instant in UTC: 2020-08-01 12:30Z.
const written = (found) => {
  if (!(found instanceof Date)) return found;
  return found.toISOString().replace("T", " ").replace(/(:00\.000|\.000|0+)Z$/, "Z");
};

// A number as its shortest text, spelled as in Python.
const spelled = (found) => {
  if (typeof found !== "number") return found;
  const size = Math.abs(found);
  if (size === Infinity) return found > 0 ? "inf" : "-inf";
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return String(found);
  return found.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
};

// What is no number in a notation is a text.
const text = (found) => spelled(written(found));

// Some texts and numbers mean a missing cell.
const known = (found, missing) => (missing.includes(found) ? null : found);

// A text of spaces only means a missing cell.
const blank = (found) => (typeof found === "string" && /^ +$/.test(found) ? null : found);

// A text that spells a number is that number.
const numeral = (found) => {
  const read = typeof found === "string" && /^ *(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?) *$/.test(found) ? Number(found) : NaN;
  return Number.isFinite(read) ? read + 0 : found;
};

// The same; true and false are 1 and 0.
const measure = (found) => (/^true$/i.test(found) ? 1 : /^fal[s\u017f]e$/i.test(found) ? 0 : numeral(found));

// A text that is a number with its unit is that number.
const amount = (found, [form, thousands, decimal]) => {
  const parts = typeof found === "string" ? new RegExp(`^${form}$`).exec(found) : null;
  return parts ? Number(parts[1] + parts[2].split(thousands || "none").join("").replace(decimal, ".")) : found;
};

// A number that is a special code is the category that it names.
const code = (found, names) => (typeof found === "number" && names.has(found) ? names.get(found) : found);

// True and false as training wrote them; 1 and 0 are the same.
const flag = (found, names) => ([0, 1].includes(measure(found)) ? names[measure(found)] : found);

// A text that training had in another spelling.
const same = (found, names) => (names.has(found) ? names.get(found) : found);

// Microseconds since 1970 in UTC, of a Date or of a text that is a date; anything else as a text.
const iso = /^ *(?<Y>[0-9]{4})-(?<m>0[1-9]|1[0-2])-(?<d>0[1-9]|[12][0-9]|3[01])(?:[T ](?<H>[01][0-9]|2[0-3]):(?<M>[0-5][0-9])(?::(?<S>[0-5][0-9])(?:\.(?<f>[0-9]{1,9}))?)?(?<z>Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)? *$/;
const moment = (found, form = iso) => {
  if (found instanceof Date) return found.getTime() * 1000;
  const parts = form.exec(text(found) === null ? "" : text(found));
  if (parts === null) return text(found);
  const {y, m = 1, d = 1, H = 0, M = 0, S = 0, f = "", z = "+0000"} = parts.groups;
  const {Y = y === undefined ? 1900 : Number(y) + (Number(y) < 69 ? 2000 : 1900)} = parts.groups;
  const at = new Date(0), zone = z === "Z" ? "+0000" : z.replace(":", "");
  at.setUTCFullYear(Number(Y), m - 1, Number(d));
  if (Number(Y) === 0 || at.getUTCDate() !== Number(d)) return text(found);
  at.setUTCHours(Number(H), Number(M), Number(S));
  const minutes = Number(zone.slice(0, 1) + "1") * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3)));
  const whole = BigInt(at.getTime() - minutes * 60000) * BigInt(1000);
  return Number(whole + BigInt(f.padEnd(6, "0").slice(0, 6)));
};

// Microseconds since midnight, of a text that is a time of the day; anything else as a text.
const clock = (found) => {
  const parts = /^ *(?<H>[01]?[0-9]|2[0-3]):(?<M>[0-5][0-9])(?::(?<S>[0-5][0-9])(?:\.(?<f>[0-9]{1,9}))?)? *$/.exec(text(found) === null ? "" : text(found));
  if (parts === null) return text(found);
  const {H, M, S = 0, f = ""} = parts.groups;
  return ((Number(H) * 60 + Number(M)) * 60 + Number(S)) * 1000000 + Number(f.padEnd(6, "0").slice(0, 6));
};

// Microseconds of a text that is a duration; anything else as a text.
const duration = (found) => {
  const forms = [
    /^(?:(?<sign>-?)P(?=.)(?:(?<d>[0-9]+)D)?(?:T(?=.)(?:(?<h>[0-9]+)H)?(?:(?<m>[0-9]+)M)?(?:(?<s>[0-9.]+)S)?)?)$/,
    /^(?:(?<sign>)(?<d>-?[0-9]+) days?,?(?: \+?(?<h>[0-9]{1,2}):(?<m>[0-9]{2}):(?<s>[0-9]{2}(?:\.[0-9]{1,9})?))?)$/,
    /^(?:(?<sign>-?)(?=[0-9])(?:(?<d>[0-9]+) d ?)?(?:(?<h>[0-9]+) h ?)?(?:(?<m>[0-9]+) min ?)?(?:(?<s>[0-9.]+) s)?)$/,
  ];
  const trimmed = /^ *((?:.*[^ ])?) *$/s.exec(text(found) === null ? "" : text(found))[1];
  const parts = forms.map((form) => form.exec(trimmed)).find((parts) => parts !== null);
  if (parts === undefined || !/^([0-9]+([.][0-9]*)?|[.][0-9]+)?$/.test(parts.groups.s || "")) return text(found);
  const {sign, d = 0, h = 0, m = 0, s = "0"} = parts.groups;
  const [seconds, rest = ""] = s.split(".");
  const minutes = (BigInt(d) * BigInt(24) + BigInt(h)) * BigInt(60) + BigInt(m);
  const fine = BigInt(rest.padEnd(6, "0").slice(0, 6));
  const count = Number((minutes * BigInt(60) + BigInt(seconds)) * BigInt(1000000) + fine);
  return Number.isFinite(count) ? (sign ? 0 - count : count) : text(found);
};

// The place of a level; anything else as a text.
const level = (found, levels) => (levels.includes(text(found)) ? levels.indexOf(text(found)) : text(found));

// A number as it is, anything else as NaN: no comparison with NaN is true.
const number = (found) => (typeof found === "number" ? found : NaN);

unless.cells = { written, spelled, text, known, blank, numeral, measure, amount, code, flag, same, moment, clock, duration, level, number };
