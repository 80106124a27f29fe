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

  const marked = new Map();
  for (const one of root.ownerDocument.querySelectorAll("[data-passage]")) {
    for (const number of one.dataset.passage.split(" ").map(Number)) {
      if (!marked.has(number)) marked.set(number, []);
      marked.get(number).push(one);
    }
  }

  function lead(pane, to, smooth) {
    led = pane;
    clearTimeout(release);
    release = setTimeout(() => { led = null; }, smooth ? 900 : 120);
    pane.scrollTo({ top: to, behavior: smooth ? "smooth" : "auto" });
  }

  // Where an anchor stands is known for certain only when the text around it was laid out, which takes the browser
  // some frames: aim, look, aim again.
  const aims = new Map();
  function settle(pane, anchor, height, frames = 8) {
    aims.set(pane, anchor);
    const aim = (left) => {
      if (aims.get(pane) !== anchor) return; // led elsewhere meanwhile
      const to = top(pane, anchor) - height;
      const within = Math.max(0, Math.min(to, pane.scrollHeight - pane.clientHeight));
      if (Math.abs(within - pane.scrollTop) > 1) lead(pane, to, false);
      if (left) requestAnimationFrame(() => aim(left - 1));
      else aims.delete(pane);
    };
    aim(frames);
  }

  function mark(number) {
    for (const one of marked.get(at) || []) one.classList.remove("here");
    at = number;
    output.value = `${number}/${count}`;
    for (const one of marked.get(number) || []) one.classList.add("here");
  }

  function show(number) {
    mark(number);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    panes.forEach((pane, side) => {
      const anchor = anchors[side].get(number);
      if (!anchor) return;
      const height = pane.clientHeight / 4;
      const near = Math.abs(top(pane, anchor) - height - pane.scrollTop) < 2 * pane.clientHeight;
      if (near && !still) lead(pane, top(pane, anchor) - height, true);
      else settle(pane, anchor, height);
    });
    led = "both";
    clearTimeout(release);
    release = setTimeout(() => { led = null; }, 900);
  }

  function step(by) {
    if (count) show(at ? ((at - 1 + by + count) % count) + 1 : (by > 0 ? 1 : count));
  }

  // The passage that stands at the upper third; only what is in view is asked, however long the text is.
  function passageAt(pane) {
    const box = pane.getBoundingClientRect();
    for (const part of [0.33, 0.28, 0.22, 0.38, 0.15]) {
      for (const across of [0.2, 0.5, 0.05]) {
        const hit = document.elementFromPoint(box.left + box.width * across, box.top + box.height * part);
        const found = hit && pane.contains(hit) && hit.closest("[data-passage]");
        if (found) return Number(found.dataset.passage.split(" ")[0]);
      }
    }
    return null;
  }

  // It is kept at the same height in the other pane.
  function follow(side) {
    const pane = panes[side];
    if (!together.checked || led === "both" || led === pane) return;
    const number = passageAt(pane);
    const anchor = number && anchors[side].get(number), partner = number && anchors[1 - side].get(number);
    if (!anchor || !partner) return;
    const other = panes[1 - side];
    settle(other, partner, top(pane, anchor) - pane.scrollTop);
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
    pane.addEventListener("wheel", () => aims.clear(), { passive: true });
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

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
