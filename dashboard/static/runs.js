"use strict";
// How far the crawls are: asked every other second while one runs, else now and then. When one has begun, ended or
// changed its state, the parts of the page that tell of crawls are brought anew; what is typed or ticked stays.
const going = document.querySelector("[data-going]");
const every = 2000;
const seldom = 10000;

function bars() {
  return [...document.querySelectorAll("[data-run]")];
}

function shows(runs) {
  const here = bars().map((bar) => `${bar.dataset.run} ${bar.dataset.state}`);
  return here.every((one) => runs.has(one)) && here.length === runs.size;
}

async function bring() {
  const answer = await fetch(location.pathname + location.search, { redirect: "error" });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const newer = page.querySelector(`[data-live="${part.dataset.live}"]`);
    const ticked = part.querySelector("input:checked, details[open]") || part.contains(document.activeElement);
    if (newer && !ticked) part.replaceChildren(...newer.childNodes);
  }
}

async function ask() {
  let wait = 5 * every;
  try {
    const answer = await fetch(going.dataset.going, { redirect: "error" });
    if (!answer.ok) throw new Error(answer.statusText);
    const runs = await answer.json();
    if (!shows(new Set(runs.map((run) => `${run.id} ${run.state}`)))) {
      if ("anew" in going.dataset) {
        location.reload();
        return;
      }
      await bring();
    }
    for (const run of runs) tell(run);
    wait = bars().length ? every : seldom;
  } catch {
    // asked again later
  }
  setTimeout(ask, wait);
}

function tell(run) {
  const bar = document.querySelector(`[data-run="${run.id}"]`);
  if (!bar) return;
  const meter = bar.querySelector("progress");
  if (run.total) {
    meter.max = run.total;
    meter.value = run.done;
  }
  bar.querySelector("[data-told]").textContent = run.told;
}

if (going) setTimeout(ask, every);
