// Two texts side by side: a passage brings its partner into view, n and p go on and back. Reading works without it.
"use strict";

for (const root of document.querySelectorAll("[data-compare]")) {
  const panes = [...root.querySelectorAll("[data-pane]")];
  // Where both texts meet, in the order of each: the beginnings of the passages, and places inside the long ones.
  const places = panes.map((pane) => [...pane.querySelectorAll("a.ref, [data-meet]")]);
  const nameOf = (place) => (place.dataset.meet ? `in ${place.dataset.meet}` : `at ${place.dataset.passage}`);
  const named = places.map((list) => new Map(list.map((place) => [nameOf(place), place])));
  const anchor = (side, number) => named[side].get(`at ${number}`);
  const count = panes[0].querySelectorAll("a.ref").length;
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
  // some frames: aim, look, aim again. Its own chunk is laid out at once: while that is as high as it was guessed to
  // be, what stands below that height is nowhere.
  const aims = new Map();
  function settle(pane, anchor, height, frames = 8) {
    aims.set(pane, anchor);
    anchor.closest(".chunk").style.contentVisibility = "visible";
    const aim = (left) => {
      if (aims.get(pane) !== anchor) return; // led elsewhere meanwhile
      const to = top(pane, anchor) - height();
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
    if (count < 2) return; // lines around all that there is would tell nothing
    for (const one of marked.get(number) || []) one.classList.add("here");
  }

  function show(number) {
    mark(number);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    panes.forEach((pane, side) => {
      const place = anchor(side, number);
      if (!place) return;
      const height = pane.clientHeight / 4;
      const near = Math.abs(top(pane, place) - height - pane.scrollTop) < 2 * pane.clientHeight;
      if (near && !still) lead(pane, top(pane, place) - height, true);
      else settle(pane, place, () => height);
    });
    led = "both";
    clearTimeout(release);
    release = setTimeout(() => { led = null; }, 900);
  }

  function step(by) {
    if (count) show(at ? ((at - 1 + by + count) % count) + 1 : (by > 0 ? 1 : count));
  }

  // j and k go from change to change of the page, also inside a passage that is the whole text: from the one they led to
  // last, or from what is being read.
  const changes = [...panes[0].querySelectorAll("mark[data-passage]:not(.same)")];
  let change = null;
  function stepChange(by) {
    const box = panes[0].getBoundingClientRect(), seen = change?.getBoundingClientRect();
    const from = seen && seen.bottom > box.top && seen.top < box.bottom ? change : pieceAt(panes[0]);
    const follows = (one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
    const after = from ? changes.findIndex(follows) : 0;
    const behind = after < 0 ? changes.length : after; // so many changes stand up to where we come from, it included
    const next = changes[by > 0 ? behind : behind - 1 - (changes[behind - 1] === from)];
    if (!next) return;
    change?.classList.remove("change");
    change = next;
    change.classList.add("change");
    mark(Number(change.dataset.passage.split(" ")[0]));
    const height = panes[0].clientHeight / 4;
    settle(panes[0], change, () => height);
    meet(0, change);
    led = "both";
    clearTimeout(release);
    release = setTimeout(() => { led = null; }, 900);
  }

  // The piece of a passage that stands at the upper third; only what is in view is asked, however long the text is.
  function pieceAt(pane) {
    const box = pane.getBoundingClientRect();
    for (const part of [0.33, 0.28, 0.22, 0.38, 0.15]) {
      for (const across of [0.2, 0.5, 0.05]) {
        const hit = document.elementFromPoint(box.left + box.width * across, box.top + box.height * part);
        const found = hit && pane.contains(hit) && hit.closest("[data-passage]");
        if (found) return found;
      }
    }
    return null;
  }

  // The last place, up to this piece, at which the texts meet.
  function placeBefore(side, piece) {
    const list = places[side];
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const before = list[middle] === piece
        || list[middle].compareDocumentPosition(piece) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (before) low = middle + 1;
      else high = middle;
    }
    return list[low - 1];
  }

  // What the other text has there is brought to the same height.
  function meet(side, piece) {
    const place = placeBefore(side, piece);
    const partner = place && named[1 - side].get(nameOf(place));
    if (partner) settle(panes[1 - side], partner, () => top(panes[side], place) - panes[side].scrollTop);
  }

  function follow(side, frames = 3) {
    if (!together.checked || led === "both" || led === panes[side]) return;
    const piece = pieceAt(panes[side]);
    if (piece) meet(side, piece);
    else if (frames) requestAnimationFrame(() => follow(side, frames - 1)); // what came into view is laid out by then
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

  // On a bar of the ruler one goes to that part of its text.
  function goTo(side, part) {
    const pane = panes[side];
    aims.clear();
    led = null;
    pane.scrollTop = part * pane.scrollHeight - pane.clientHeight / 3;
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-passage]");
    const ruler = event.target.closest("[data-ruler]");
    const bar = ruler && root.contains(ruler) && event.target.closest("rect");
    if (!target && !bar) return;
    if (String(getSelection())) return; // who selects text to copy it wants no jump
    event.preventDefault();
    const number = target && Number(target.dataset.passage.split(" ")[0]);
    if (bar) {
      const box = ruler.getBoundingClientRect();
      if (number) mark(number);
      goTo(event.clientY < box.top + box.height / 2 ? 0 : 1, (event.clientX - box.left) / box.width);
      return;
    }
    const side = panes.findIndex((pane) => pane.contains(target));
    if (side >= 0) {
      mark(number);
      meet(side, target);
      return;
    }
    show(number);
    if (!root.contains(target)) root.scrollIntoView({ block: "start" });
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "n") step(1);
    if (event.key === "p") step(-1);
    if (event.key === "j") stepChange(1);
    if (event.key === "k") stepChange(-1);
  });
  for (const button of root.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(Number(button.dataset.step)));
  }
  for (const tools of root.querySelectorAll("[data-script]")) tools.hidden = false;

  // What speaks loudest is in view at once: a case opens at its longest passage, unless the address names another place.
  if (root.dataset.longest && !location.hash) {
    panes.forEach((pane, side) => {
      const place = anchor(side, Number(root.dataset.longest));
      if (place && top(pane, place) > pane.clientHeight / 2) settle(pane, place, () => pane.clientHeight / 4);
    });
  }
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
