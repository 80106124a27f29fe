// Two texts side by side: a passage brings its partner into view, n and p go on and back. Reading works without it.
"use strict";

for (const root of document.querySelectorAll("[data-compare]")) {
  const panes = [...root.querySelectorAll("[data-pane]")];
  const anchors = panes.map((pane) => new Map(
    [...pane.querySelectorAll("a.ref")].map((anchor) => [Number(anchor.dataset.passage), anchor])));
  const count = anchors[0].size;
  const output = root.querySelector("[data-at]");
  const together = root.querySelector("[data-together]");
  let at = 0;
  let led = null; // the pane that we move ourselves: its scrolling must not move the other one back
  let release = 0;

  const top = (pane, element) =>
    element.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop;

  function lead(pane, to, smooth) {
    led = pane;
    clearTimeout(release);
    release = setTimeout(() => { led = null; }, smooth ? 900 : 120);
    pane.scrollTo({ top: to, behavior: smooth ? "smooth" : "auto" });
  }

  function mark(number) {
    at = number;
    output.value = `${number}/${count}`;
    for (const one of root.querySelectorAll("[data-passage].here")) one.classList.remove("here");
    for (const one of root.querySelectorAll("[data-passage]")) {
      if (one.dataset.passage.split(" ").includes(String(number))) one.classList.add("here");
    }
  }

  function show(number) {
    mark(number);
    const smooth = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    panes.forEach((pane, side) => {
      const anchor = anchors[side].get(number);
      if (anchor) lead(pane, top(pane, anchor) - pane.clientHeight / 4, smooth);
    });
    led = "both";
  }

  function step(by) {
    if (count) show(at ? ((at - 1 + by + count) % count) + 1 : (by > 0 ? 1 : count));
  }

  // The passage that stands at the upper third is kept at the same height in the other pane.
  function follow(side) {
    const pane = panes[side];
    if (!together.checked || led === "both" || led === pane) return;
    const line = pane.scrollTop + pane.clientHeight / 3;
    let best = null;
    for (const [number, anchor] of anchors[side]) {
      const start = top(pane, anchor);
      if (start <= line && (!best || start > best.start)) best = { number, start };
    }
    const partner = best && anchors[1 - side].get(best.number);
    if (!partner) return;
    const other = panes[1 - side];
    lead(other, top(other, partner) - (best.start - pane.scrollTop), false);
  }

  // On the ruler a frame shows which part of each text is in view.
  const views = [...root.querySelectorAll("[data-view]")];
  function frame(side) {
    const pane = panes[side];
    if (!views.length || pane.scrollHeight <= pane.clientHeight) return;
    views[side].setAttribute("x", 1000 * pane.scrollTop / pane.scrollHeight);
    views[side].setAttribute("width", 1000 * pane.clientHeight / pane.scrollHeight);
  }

  panes.forEach((pane, side) => {
    let waiting = false;
    frame(side);
    pane.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; follow(side); frame(side); });
    }, { passive: true });
  });

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-passage]");
    if (!target || String(getSelection())) return; // who selects text to copy it wants no jump
    event.preventDefault();
    show(Number(target.dataset.passage.split(" ")[0]));
    if (!root.contains(target)) root.scrollIntoView({ block: "start" });
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
  });
  for (const button of root.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(Number(button.dataset.step)));
  }
  for (const tools of root.querySelectorAll("[data-script]")) tools.hidden = false;
}
