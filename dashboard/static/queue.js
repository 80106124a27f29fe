// The queue by keyboard: j and k go, x ticks, y, n, s and a act on what is ticked, or else on the row one stands on.
"use strict";

for (const form of document.querySelectorAll("[data-queue]")) {
  const rows = [...form.querySelectorAll("[data-case]")];
  const boxes = rows.map((row) => row.querySelector("input[name=case]"));
  const reason = form.querySelector("[name=reason]");
  const assignee = form.querySelector("[name=assignee]");
  const whole = form.querySelector("[data-all]");
  const all = form.querySelector("[data-tick-all]");
  const output = form.querySelector("[data-ticked]");
  const ticked = () => boxes.filter((box) => box.checked);
  // After a decision the list is a new one: it begins at the row that followed.
  const kept = sessionStorage.getItem("queue");
  let at = Math.max(0, rows.findIndex((row) => row.dataset.case === kept));

  function stand(on, view = true) {
    rows[at].classList.remove("here");
    rows[at].removeAttribute("aria-current");
    at = Math.max(0, Math.min(on, rows.length - 1));
    rows[at].classList.add("here");
    rows[at].setAttribute("aria-current", "true");
    if (view) rows[at].scrollIntoView({ block: "nearest" });
  }

  // A folded row stands for several cases.
  function count() {
    const chosen = ticked();
    const cases = chosen.reduce((sum, box) => sum + box.value.split(",").length, 0);
    if (output) output.value = whole && whole.checked ? whole.dataset.count : cases;
    all.checked = chosen.length === boxes.length;
    all.indeterminate = chosen.length > 0 && chosen.length < boxes.length;
  }

  function meant() {
    if (!ticked().length && !(whole && whole.checked)) boxes[at].checked = true;
    count();
  }

  function press(status) {
    const button = form.querySelector(`button[name=status][value=${status}]`);
    if (!button) return;
    meant();
    form.requestSubmit(button);
  }

  function lead(field) {
    if (!field) return;
    meant();
    field.focus();
  }

  const keys = {
    j: () => stand(at + 1),
    k: () => stand(at - 1),
    x: () => { boxes[at].checked = !boxes[at].checked; count(); },
    y: () => press("confirmed"),
    s: () => press("quiet"),
    n: () => lead(reason),
    a: () => lead(assignee),
    e: () => rows[at].querySelector("a").click(),
    o: () => { const fold = rows[at].querySelector("details"); if (fold) fold.open = !fold.open; },
  };
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("textarea, select, input:not([type=checkbox])");
    if (event.ctrlKey || event.metaKey || event.altKey || writing || document.querySelector("dialog[open]")) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  // In a field, Enter does what the key that led to it began, and Escape lets all go.
  for (const [field, button] of [[reason, "button[value=dismissed]"], [assignee, "[data-assign]"]]) {
    if (!field) continue;
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") {
        event.preventDefault();
        form.requestSubmit(form.querySelector(button));
      }
      if (event.key !== "Escape") return;
      for (const box of boxes) box.checked = false;
      count();
      field.blur();
    });
  }
  form.addEventListener("submit", () => {
    const next = rows.slice(at).find((row, index) => !boxes[at + index].checked);
    sessionStorage.setItem("queue", (next || rows[0]).dataset.case);
  });
  form.addEventListener("change", count);
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; count(); });
  for (const tool of form.querySelectorAll("[data-script]")) tool.hidden = false;
  count();
  stand(at, kept !== null);
}
