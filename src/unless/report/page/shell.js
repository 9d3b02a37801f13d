/* The frame of the page: the theme, the section in view, where links lead, printing. */

const { part, perFrame, ready } = unless.dom;
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

/** Follow a link: show the rule even if it was filtered out or on another page, open the long text. */
function reveal() {
  const id = window.location.hash.slice(1);
  if (!id) return;
  const rules = unless.ruleList;
  const rule = rules && rules.find(id);
  if (rule) rules.reveal(rule);
  const target = rule || part(id);
  if (!target) return;
  const fold = target.querySelector(":scope > details:not(.rule-more)") || target.closest("details");
  if (fold) fold.open = true;
  target.scrollIntoView();
  for (const one of document.querySelectorAll(".rule.aimed")) one.classList.remove("aimed");
  if (rule) rule.classList.add("aimed"); // a rule that was not in the document is no target to the browser
}

/** Let tables that are wider than the page fade out where they go on. */
function markWide() {
  const mark = (box) => {
    const left = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
    box.classList.toggle("more", left > 2);
  };
  const sizes = new ResizeObserver((seen) => seen.forEach(({ target }) => mark(target.closest(".scroll"))));
  for (const box of document.querySelectorAll(".scroll")) {
    box.addEventListener("scroll", perFrame(() => mark(box)), { passive: true });
    for (const one of [box, ...box.children]) sizes.observe(one);
  }
}

/** Open everything while the page is printed, since paper cannot be clicked; a single sheet on request. */
function printing() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    if (root.classList.contains("one-page")) return;
    opened = [...document.querySelectorAll("details:not([open], .on-demand, .rule-more)")];
    for (const one of opened) one.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    opened = [];
    root.classList.remove("one-page");
  });
  part("print-one").hidden = false;
  part("print-one").addEventListener("click", () => {
    root.classList.add("one-page");
    window.print();
  });
}

ready(() => {
  themeButton();
  currentSection();
  markWide();
  printing();
  window.addEventListener("hashchange", reveal);
  setTimeout(reveal, 0); // after the other scripts of the page
});
