"use strict";
// How far the crawls are: asked every other second; when one has ended or changed its state, the page is loaded anew.
const bars = [...document.querySelectorAll("[data-run]")];
const every = 2000;

async function ask() {
  let runs;
  try {
    const answer = await fetch(document.querySelector("[data-going]").dataset.going, { redirect: "error" });
    if (!answer.ok) throw new Error(answer.statusText);
    runs = new Map((await answer.json()).map((run) => [run.id, run]));
  } catch {
    setTimeout(ask, 5 * every);
    return;
  }
  for (const bar of bars) {
    const run = runs.get(bar.dataset.run);
    if (!run || run.state !== bar.dataset.state) {
      location.reload();
      return;
    }
    const meter = bar.querySelector("progress");
    if (run.total) {
      meter.max = run.total;
      meter.value = run.done;
    }
    bar.querySelector("[data-told]").textContent = run.told;
  }
  setTimeout(ask, every);
}

if (bars.length) setTimeout(ask, every);
