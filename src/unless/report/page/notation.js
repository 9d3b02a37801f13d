/* How numbers are written: as dates, times, durations, levels of an order. As unless/values/notation.py defines it. */
(() => {
  "use strict";
  const unless = (globalThis.unless = globalThis.unless || {});

  const [SECOND, MINUTE, HOUR, DAY] = [1e6, 6e7, 3.6e9, 8.64e10]; // in microseconds
  const [FIRST, END] = [Date.parse("0001-01-01") * 1000, (Date.parse("9999-12-31") + 864e5) * 1000];

  const CLOCK = "(?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9])(?::(?<second>[0-5][0-9])(?:\\.(?<part>[0-9]{1,9}))?)?";
  const ZONE = "(?:Z|(?<sign>[+-])(?<hours>[01][0-9]|2[0-3]):?(?<minutes>[0-5][0-9]))?";
  const TIME = new RegExp(`^${CLOCK.replace("[01][0-9]", "[01]?[0-9]")}$`); // 7:30 is 07:30
  const ISO = new RegExp(`^(?<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]${CLOCK}${ZONE})?$`);
  const LONG = [
    /^(?<sign>-?)P(?=.)(?:(?<d>[0-9]+)D)?(?:T(?=.)(?:(?<h>[0-9]+)H)?(?:(?<m>[0-9]+)M)?(?:(?<s>[0-9.]+)S)?)?$/,
    /^(?<sign>)(?<d>-?[0-9]+) days?,?(?: \+?(?<h>[0-9]{1,2}):(?<m>[0-9]{2}):(?<s>[0-9]{2}(?:\.[0-9]{1,9})?))?$/,
    /^(?<sign>-?)(?=[0-9])(?:(?<d>[0-9]+) d ?)?(?:(?<h>[0-9]+) h ?)?(?:(?<m>[0-9]+) min ?)?(?:(?<s>[0-9.]+) s)?$/,
  ];
  const PARTS = {
    "%d": "(?<d>3[01]|[12][0-9]|0?[1-9]| [1-9])",
    "%m": "(?<m>1[0-2]|0?[1-9])",
    "%Y": "(?<year>[0-9]{4})",
    "%y": "(?<short>[0-9]{2})",
    "%H": "(?<hour>2[0-3]|[01]?[0-9])",
    "%M": "(?<minute>[0-5]?[0-9])",
    "%S": "(?<second>[0-5]?[0-9])",
    "%f": "(?<part>[0-9]{1,6})",
    "%%": "%",
  };

  const padded = (number, digits) => String(number).padStart(digits, "0");
  const trimmed = (text) => /^ *((?:.*[^ ])?) *$/s.exec(text)[1];
  const decimals = (rest) => (rest ? `.${padded(rest, 6).replace(/0+$/, "")}` : "");
  const micros = (digits) => Number(digits.padEnd(6, "0").slice(0, 6));

  /** A time of the day, in microseconds, as people write it: 12:30, 12:30:05.5. */
  function clockText(time) {
    const part = (size, count) => padded(Math.floor(time / size) % count, 2);
    const fine = time % MINUTE ? `:${part(SECOND, 60)}${decimals(time % SECOND)}` : "";
    return `${part(HOUR, 24)}:${part(MINUTE, 60)}${fine}`;
  }

  const clockNumber = ({ hour = "0", minute = "0", second = "0", part = "" }) =>
    hour * HOUR + minute * MINUTE + second * SECOND + micros(part);

  /** Microseconds from 1970-01-01 to a moment of a day; null if there is no such day. */
  function momentNumber(day, time) {
    const start = Date.parse(`${day}T00:00:00Z`);
    const known = !Number.isNaN(start) && new Date(start).toISOString().startsWith(`${day}T`) && start * 1000 >= FIRST;
    const number = start * 1000 + time; // both are exact, so that this is rounded once, as in Python
    return known ? number : null; // a zone may move it beyond the calendar
  }

  /** The moment that a text of ISO 8601 spells; null if it spells none. */
  function isoNumber(text) {
    const found = ISO.exec(trimmed(text));
    if (!found) return null;
    const { day, sign, hours = 0, minutes = 0 } = found.groups;
    const shift = hours * HOUR + minutes * MINUTE;
    return momentNumber(day, clockNumber(found.groups) + (sign === "-" ? shift : -shift));
  }

  /** The moment that a text spells in a format of `strptime`, if that has only numbers: names depend on a language. */
  function formatNumber(format, text) {
    const pieces = format.match(/%.|\s+|[^%\s]+/gs) || [];
    const pattern = pieces.map((piece) =>
      piece[0] === "%" ? PARTS[piece] || "(?!)" : piece.trim() ? piece.replace(/[^\w]/g, "\\$&") : "\\s+",
    );
    const found = new RegExp(`^${pattern.join("")}$`, "i").exec(text.trim());
    if (!found) return null;
    const { year, short, m = "1", d = "1" } = found.groups || {};
    const full = year || (short ? String(short < 69 ? 2000 + Number(short) : 1900 + Number(short)) : "1900");
    return momentNumber(`${full}-${padded(m, 2)}-${padded(Number(d), 2)}`, clockNumber(found.groups || {}));
  }

  /** Dates, with or without the time of day; `format` says how else the cells of files spell them. */
  function moments(name, format) {
    const text = (number) => {
      if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
      const over = number >= END; // the last moment of the calendar is rounded to the first one after it
      const whole = over ? END - DAY : Math.max(Math.floor(number), FIRST);
      const time = over ? DAY - 1 : ((whole % DAY) + DAY) % DAY;
      const day = new Date((whole - (over ? 0 : time)) / 1000).toISOString().slice(0, 10);
      if (name === "instant") return `${day} ${clockText(time)}Z`;
      return time ? `${day} ${clockText(time)}` : day;
    };
    const number = format === null ? isoNumber : (cell) => formatNumber(format, cell);
    return { name, step: name === "date" ? DAY : 1, text, number, back: isoNumber };
  }

  /** Times of the day. */
  function times() {
    const text = (number) => clockText(Math.min(Math.max(Math.floor(number), 0), DAY - 1));
    const number = (cell) => {
      const found = TIME.exec(trimmed(cell));
      return found && clockNumber(found.groups);
    };
    return { name: "time", step: 1, text, number, back: number };
  }

  const UNITS = [
    ["d", BigInt(DAY)],
    ["h", BigInt(HOUR)],
    ["min", BigInt(MINUTE)],
  ];

  /** Lengths of time: 2 d 3 h, 15 min, -0.5 s. */
  function durationText(number) {
    if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
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

  /** The microseconds of a duration, however it is spelled; null if it is none. */
  function durationNumber(text) {
    const found = LONG.map((one) => one.exec(trimmed(text))).find(Boolean);
    if (!found) return null;
    const { sign, d = "0", h = "0", m = "0", s = "0" } = found.groups;
    const [seconds, part = "", ...more] = s.split(".");
    if (s === "." || more.length) return null;
    const sizes = [d, h, m].map((count, place) => BigInt(count) * UNITS[place][1]);
    const total = sizes.reduce((sum, one) => sum + one, BigInt(seconds || 0) * BigInt(SECOND) + BigInt(micros(part)));
    return Number(sign ? -total : total);
  }

  /** Categories in an order of their own; the numbers are their places. */
  function order(levels) {
    const text = (number) => levels[Math.min(Math.max(Math.floor(number), 0), levels.length - 1)];
    const places = new Map(levels.map((level, place) => [level, place]));
    const number = (cell) => places.get(cell) ?? null;
    return { name: "order", step: 1, levels, text, number, back: number };
  }

  /** The notation that a page's data has: its name, a name with a format, or the levels of an order; null for plain numbers. */
  function readNotation(data) {
    if (data === null || data === undefined) return null;
    if (Array.isArray(data)) return order(data);
    const [name, format] = typeof data === "string" ? [data, null] : Object.entries(data)[0];
    if (name === "unit") return null; // the phrase of the feature has the unit
    if (name === "time") return times();
    if (name === "duration") return { name, step: 1, text: durationText, number: durationNumber, back: durationNumber };
    return name === "flag" || name === "whole" ? { name, step: 1, plain: true } : moments(name, format);
  }

  /** Whether numbers are written as something else. */
  const isWritten = (notation) => Boolean(notation) && !notation.plain;

  /** What a typed text means: in the notation of a feature it is a number. */
  const readText = (notation, text) => (isWritten(notation) ? (notation.number(text) ?? text) : text);

  unless.notation = { DAY, isWritten, readNotation, readText };
})();
