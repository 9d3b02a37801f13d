/* How numbers are written: as dates, times, durations, levels of an order. As unless/values/notation defines it;
   export/cell_functions.js reads them. */

const { clock, duration, level, moment } = unless.cells;

const [SECOND, MINUTE, HOUR, DAY] = [1e6, 6e7, 3.6e9, 8.64e10]; // in microseconds
const [FIRST, END] = [Date.parse("0001-01-01") * 1000, (Date.parse("9999-12-31") + 864e5) * 1000];
const UNITS = [
  ["d", BigInt(DAY)],
  ["h", BigInt(HOUR)],
  ["min", BigInt(MINUTE)],
];

const padded = (number, digits) => String(number).padStart(digits, "0");
const decimals = (rest) => (rest ? `.${padded(rest, 6).replace(/0+$/, "")}` : "");

/** A time of the day, in microseconds, as people write it: 12:30, 12:30:05.5. */
function clockText(number) {
  const time = Math.min(Math.max(Math.floor(number), 0), DAY - 1);
  const part = (size, count) => padded(Math.floor(time / size) % count, 2);
  const fine = time % MINUTE ? `:${part(SECOND, 60)}${decimals(time % SECOND)}` : "";
  return `${part(HOUR, 24)}:${part(MINUTE, 60)}${fine}`;
}

/** A date, with the time of day if it has one; an instant always has one, in UTC. */
function momentText(name, number) {
  if (!Number.isFinite(number)) return unless.cells.spelled(number);
  const over = number >= END; // the last moment of the calendar is rounded to the first one after it
  const whole = over ? END - DAY : Math.max(Math.floor(number), FIRST);
  const time = over ? DAY - 1 : ((whole % DAY) + DAY) % DAY;
  const day = new Date((whole - (over ? 0 : time)) / 1000).toISOString().slice(0, 10);
  if (name === "instant") return `${day} ${clockText(time)}Z`;
  return time ? `${day} ${clockText(time)}` : day;
}

/** Lengths of time: 2 d 3 h, 15 min, -0.5 s. */
function durationText(number) {
  if (!Number.isFinite(number)) return unless.cells.spelled(number);
  let left = BigInt(Math.abs(Math.floor(number)));
  const parts = [];
  for (const [unit, size] of UNITS) {
    if (left >= size) parts.push(`${left / size} ${unit}`);
    left %= size;
  }
  const rest = Number(left);
  if (rest || !parts.length) parts.push(`${Math.floor(rest / SECOND)}${decimals(rest % SECOND)} s`);
  return (number < 0 ? "-" : "") + parts.join(" ");
}

/** What finds the number that a text spells, null if it spells none. */
const reading = (reader, ...argument) => (text) => {
  const found = reader(text, ...argument);
  return typeof found === "number" ? found : null;
};

/** Categories in an order of their own; the numbers are their places. */
function order(levels) {
  const text = (number) => levels[Math.min(Math.max(Math.floor(number), 0), levels.length - 1)];
  const number = reading(level, levels);
  return { name: "order", step: 1, levels, text, number, back: number };
}

/** The notation that a page's data has: its name, a name with a format, or the levels of an order; null for plain
    numbers. `form` is the regular expression of cells in a format. */
function readNotation(data, form = null) {
  if (data === null || data === undefined) return null;
  if (Array.isArray(data)) return order(data);
  const name = typeof data === "string" ? data : Object.keys(data)[0];
  if (name === "unit") return null; // the phrase of the feature has the unit
  if (name === "flag" || name === "whole") return { name, step: 1, plain: true };
  const reader = { time: clock, duration }[name] || moment;
  const text = { time: clockText, duration: durationText }[name] || ((number) => momentText(name, number));
  const number = form === null ? reading(reader) : reading(reader, new RegExp(form, "i"));
  return { name, step: name === "date" ? DAY : 1, text, number, back: reading(reader) };
}

/** Whether numbers are written as something else. */
const isWritten = (notation) => Boolean(notation) && !notation.plain;

/** What a typed text means: in the notation of a feature it is a number. */
const readText = (notation, text) => (isWritten(notation) ? (notation.number(text) ?? text) : text);

unless.notation = { DAY, isWritten, readNotation, readText };
