/* The frame of the page: the theme, the section in view, the filter of rules, everything open for printing. */
(() => {
  "use strict";
  const { part, perFrame, ready, wordsIn } = globalThis.unless.dom;
  const root = document.documentElement;

  /** The button that switches between light and dark, and remembers the choice. */
  function themeButton() {
    const button = part("theme");
    const say = () => { button.textContent = root.dataset.theme === "dark" ? "Light" : "Dark"; };
    button.addEventListener("click", () => {
      root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
      try { window.localStorage.setItem("unless-theme", root.dataset.theme); } catch { /* storage may be forbidden */ }
      say();
    });
    say();
    button.hidden = false;
  }

  /** Mark the link of the section in view. */
  function currentSection() {
    const links = new Map([...document.querySelectorAll("nav.bar-top a")].map((a) => [a.hash.slice(1), a]));
    const sections = [...links.keys()].map(part).filter(Boolean);
    let now = null;
    const mark = () => {
      const line = window.innerHeight * 0.35;
      const seen = sections.filter((one) => one.getBoundingClientRect().top <= line).pop() || sections[0];
      if (seen === now) return;
      if (now) links.get(now.id).removeAttribute("aria-current");
      now = seen;
      links.get(now.id).setAttribute("aria-current", "true");
    };
    const later = perFrame(mark);
    window.addEventListener("scroll", later, { passive: true });
    window.addEventListener("resize", later);
    mark();
  }

  /** Show only rules that have all the words, the label and the feature of the filter. */
  function ruleFilter() {
    const form = part("rule-filter");
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

  /** Follow a link: show the rule even if it was filtered out, open the long text. */
  function reveal() {
    const target = part(window.location.hash.slice(1));
    if (!target) return;
    if (target.hidden && target.matches(".rule")) {
      const form = part("rule-filter");
      form.reset();
      form.dispatchEvent(new Event("input"));
    }
    const fold = target.querySelector(":scope > details");
    if (fold) fold.open = true;
    target.scrollIntoView();
  }

  /** Open everything while the page is printed: paper cannot be clicked. */
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
