// The works that a page copies are marked and unmarked at once. Without script the form does it by the address.
"use strict";

for (const form of document.querySelectorAll("[data-sources-form]")) {
  const boxes = [...form.querySelectorAll("[data-source-box]")];
  const unmatched = form.querySelector("[data-unmatched-box]");
  const pieces = [...document.querySelectorAll("[data-pane=page] .chunk > :not(a, [data-unmatched])")];
  const present = boxes[0].dataset.sourceBox;
  const words = new Map([...document.querySelectorAll(".legend mark")].map((mark) => [mark.className, mark.textContent]));

  // As `dashboard.cases.side_by_side.marking` does it: the first source that is shown gives a piece its look.
  function mark() {
    const shown = new Map(boxes.filter((box) => box.checked).map((box) => [box.dataset.sourceBox, box.dataset]));
    let before = "", common = false;
    for (const piece of pieces) {
      if (piece.dataset.sources === undefined) {
        if (!piece.classList.contains("left-out")) { before = ""; common = false; }
        continue;
      }
      const here = piece.classList.contains("here"), change = piece.classList.contains("change");
      const sources = piece.dataset.sources.split(" ").filter(Boolean);
      const source = sources.find((number) => shown.has(number)) || "";
      const own = source === present || (!sources.length && piece.dataset.passage && shown.has(present));
      if (own) piece.className = piece.dataset.kind;
      else if (source) piece.className = shown.get(source).look;
      else piece.className = sources.length ? "off" : piece.dataset.reason ? "common" : "ignored";
      if (source && !own && source !== before) piece.dataset.letter = shown.get(source).letter;
      else delete piece.dataset.letter;
      piece.title = piece.className === "same" ? "" : words.get(piece.className) || "";
      const isCommon = piece.className === "common";
      piece.classList.toggle("first", isCommon && !common);
      common = isCommon;
      piece.classList.toggle("here", here);
      piece.classList.toggle("change", change);
      if (piece.textContent) before = source;
    }
    for (const drawn of document.querySelectorAll("[data-ruler] [data-source]")) {
      drawn.toggleAttribute("hidden", !shown.has(drawn.dataset.source));
    }
    for (const one of document.querySelectorAll("[data-off-legend]")) one.hidden = shown.size === boxes.length;
    for (const one of document.querySelectorAll("[data-unmatched]")) one.hidden = !unmatched.checked;
    const fields = new FormData(form);
    if ([...boxes, unmatched].every((box) => !box || box.checked)) fields.delete("shown"); // as the screen opens
    history.replaceState(null, "", `${location.pathname}?${new URLSearchParams(fields)}${location.hash}`);
  }

  form.addEventListener("change", mark);
  form.addEventListener("submit", (event) => { event.preventDefault(); mark(); });
  for (const button of form.querySelectorAll("[data-without-script]")) button.hidden = true;
}
