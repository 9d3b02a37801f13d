/* What leaves the page: files that the browser saves, texts for the clipboard, records as CSV. Nothing is sent. */

/** A cell of CSV. A text that a spreadsheet would run as a formula gets an apostrophe, as spreadsheets do it. */
function cell(value) {
  if (value === null) return "";
  if (typeof value === "number") return unless.words.spell(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Rows of values as CSV, with the byte order mark by which spreadsheets know UTF-8. */
const csv = (rows) => `\ufeff${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;

/** Let the browser save a text as a file. */
function save(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = unless.dom.el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Copy a text, and say so on the button that asked for it. */
async function copy(text, button) {
  const before = button.textContent;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = copyBySelection(text);
  }
  button.textContent = done ? "copied" : "not allowed";
  setTimeout(() => (button.textContent = before), 1500);
}

/** The older way, where the clipboard is closed to pages. */
function copyBySelection(text) {
  const area = unless.dom.el("textarea", { class: "sr", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/* What the browser keeps for this program. Chromium passes on what its storage was given in its own time: a page that
   is loaded again at once may not see the last change yet. The name of the window is there at once, so what this tab
   has kept is in it too. */
const MARK = "unless:";
const key = (what, fingerprint = unless.page.fingerprint) => `unless-${what}-${fingerprint}`;
function inName() {
  try {
    return window.name.startsWith(MARK) ? JSON.parse(window.name.slice(MARK.length)) : {};
  } catch {
    return {};
  }
}

/** What was kept, or null. */
function kept(what, fingerprint) {
  const [own, name] = [inName(), key(what, fingerprint)];
  try {
    return Object.prototype.hasOwnProperty.call(own, name) ? own[name] : JSON.parse(window.localStorage.getItem(name));
  } catch {
    return null;
  }
}

/** Keep a value, or with null nothing; tells whether it could be kept for later visits. */
function keep(what, value) {
  if (!window.name || window.name.startsWith(MARK)) window.name = MARK + JSON.stringify({ ...inName(), [key(what)]: value });
  try {
    if (value === null) window.localStorage.removeItem(key(what));
    else window.localStorage.setItem(key(what), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

unless.out = { cell, copy, csv, keep, kept, save };
