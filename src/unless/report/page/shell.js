/* The frame of the page: theme, the section in view, filter of rules, everything open for printing. */
(() => {
  "use strict";
  const { ready, perFrame, wordsIn } = globalThis.unless.dom;
  const root = document.documentElement;

  /** The button that changes between light and dark, and remembers it. */
  function themeButton() {
    const button = document.getElementById("theme");
    const say = () => { button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark"; };
    button.addEventListener("click", () => {
      root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
      try { window.localStorage.setItem("unless-theme", root.dataset.theme); } catch { /* then not remembered */ }
      say();
    });
    say();
    button.hidden = false;
  }

  /** Mark the link of the section that is being read. */
  function currentSection() {
    const links = new Map([...document.querySelectorAll("nav.bar-top a")].map((a) => [a.hash.slice(1), a]));
    const parts = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    let now = null;
    const mark = () => {
      const line = window.innerHeight * 0.35;
      const part = parts.filter((one) => one.getBoundingClientRect().top <= line).pop() || parts[0];
      if (part === now) return;
      if (now) links.get(now.id).removeAttribute("aria-current");
      now = part;
      links.get(now.id).setAttribute("aria-current", "true");
    };
    const later = perFrame(mark);
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    mark();
  }

  /** Show only rules with all the words, the label and the feature that are asked for. */
  function ruleFilter() {
    const form = document.getElementById("rule-filter");
    if (!form) return;
    const items = [...document.querySelectorAll("ol.rules > li")];
    const texts = new Map();
    const textOf = (item) => {
      if (!texts.has(item)) texts.set(item, item.querySelector(".say").textContent.replace(/\s+/g, " ").toLowerCase());
      return texts.get(item);
    };
    const { text, label, feature } = form.elements;
    const fits = (item, words) =>
      (!label.value || item.dataset.l === label.value) &&
      (!feature.value || item.dataset.f.split(" ").includes(feature.value)) &&
      words.every((word) => textOf(item).includes(word));
    const apply = () => {
      const words = wordsIn(text.value);
      let shown = 0;
      for (const item of items) {
        item.hidden = !fits(item, words);
        if (!item.hidden && item.id) shown += 1;
      }
      const total = items.filter((item) => item.id).length;
      const all = shown === total;
      form.querySelector("output").textContent = all ? "" : `${shown} of ${total} rules`;
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }

  /** A rule that is linked to must not stay filtered out, nor a long text folded. */
  function reveal() {
    const part = document.getElementById(window.location.hash.slice(1));
    if (!part) return;
    if (part.hidden && part.matches(".rule")) {
      const form = document.getElementById("rule-filter");
      form.reset();
      form.dispatchEvent(new Event("input"));
    }
    const fold = part.querySelector(":scope > details");
    if (fold) fold.open = true;
    part.scrollIntoView();
  }

  /** Paper cannot be clicked: everything is open while the page is printed. */
  function printing() {
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")];
      for (const one of opened) one.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const one of opened) one.open = false;
    });
  }

  ready(() => {
    themeButton();
    currentSection();
    ruleFilter();
    printing();
    window.addEventListener("hashchange", reveal);
    reveal();
  });
})();
