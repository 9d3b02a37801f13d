// Before anything is painted, set the theme: the one that the reader chose, or else that of the system.
(function () {
  "use strict";
  const asked = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = window.localStorage.getItem("unless-theme"); } catch { /* storage may be forbidden */ }
  const known = chosen === "dark" || chosen === "light";
  document.documentElement.dataset.theme = known ? chosen : asked.matches ? "dark" : "light";
  document.documentElement.classList.add("scripted");
})();
