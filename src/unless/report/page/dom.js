/* Small helpers for the page: elements made of text, and work in slices. Data never becomes anything but text. */

/** The element with this id. */
const part = (id) => document.getElementById(id);

/** A new element. Attributes that are null or false are left out; children are nodes or texts. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const MOST_TITLE = 2000;

/** A text of the data, with a direction of its own. If it is shortened, the full text is in the title. */
function datum(text, full = text) {
  const title = full === text ? null : full.length > MOST_TITLE ? `${full.slice(0, MOST_TITLE)}…` : full;
  return el("bdi", { dir: "auto", title }, text);
}

/** Run as soon as the document is there. */
function ready(start) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}

/** Do something at most once per frame, however often it is asked for. */
function perFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** The words to search for, in lower case. */
const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

const SLICE = 8;

/** Run a generator in slices of 8 ms, so that the page stays responsive.

    `each(value, spent)` gets every value and the milliseconds of work so far; it returns true to stop. `done(value)` is
    called with what the generator returns when the generator has ended, `failed()` when it has thrown. Returns a function that cancels. */
function inSlices(generator, each = () => false, done = () => {}, failed = () => {}) {
  let [timer, spent] = [0, 0];
  const next = () => {
    try {
      return generator.next();
    } catch (error) {
      console.error(error);
      return null;
    }
  };
  const step = () => {
    const start = performance.now();
    let late = false;
    while (!late) {
      const found = next();
      if (!found) return failed();
      if (found.done) return done(found.value);
      const now = performance.now() - start;
      if (each(found.value, spent + now)) return undefined;
      late = now > SLICE;
    }
    spent += performance.now() - start;
    timer = setTimeout(step, 0);
    return undefined;
  };
  timer = setTimeout(step, 0);
  return () => clearTimeout(timer);
}

unless.dom = { datum, el, inSlices, part, perFrame, ready, wordsIn };
