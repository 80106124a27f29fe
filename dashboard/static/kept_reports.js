"use strict";
// How far the reports are: the list is asked for again while one of them is being made.
const every = 3000;

async function again() {
  const list = document.getElementById("kept");
  if (!list || !("going" in list.dataset)) return;
  // Nobody loses the place that they are at.
  if (!list.contains(document.activeElement)) {
    try {
      const answer = await fetch(location.href, { redirect: "error" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("kept");
      if (answer.ok && fresh) list.replaceWith(fresh);
    } catch {
      // The next look may find the server again.
    }
  }
  setTimeout(again, every);
}

setTimeout(again, every);
