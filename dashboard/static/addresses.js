"use strict";
// Outcomes are brought anew every other second until each address has one. The bookmarklet is dragged, not pressed.
const OUTCOMES_EVERY_MS = 2000;

async function bringOutcomes() {
  const part = document.querySelector("[data-live=outcomes]");
  if (!part || !("open" in part.dataset)) return;
  try {
    const answer = await fetch(location.pathname + location.search, { redirect: "error" });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const newer = page.querySelector("[data-live=outcomes]");
      if (newer && !part.contains(document.activeElement)) {
        part.replaceChildren(...newer.childNodes);
        part.toggleAttribute("data-open", "open" in newer.dataset);
      }
    }
  } catch {
    // asked again later
  }
  setTimeout(bringOutcomes, OUTCOMES_EVERY_MS);
}

setTimeout(bringOutcomes, OUTCOMES_EVERY_MS);
document.querySelector("[data-bookmarklet]")?.addEventListener("click", (event) => event.preventDefault());
