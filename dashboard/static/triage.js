// The queue by keyboard: j and k go, x ticks, y and n decide what is ticked, or else the row one stands on.
"use strict";

for (const form of document.querySelectorAll("[data-triage]")) {
  const rows = [...form.querySelectorAll("[data-case]")];
  const boxes = rows.map((row) => row.querySelector("input[type=checkbox]"));
  const reason = form.querySelector("[name=reason]");
  const all = form.querySelector("[data-tick-all]");
  const press = (status) => form.requestSubmit(form.querySelector(`button[value=${status}]`));
  const ticked = () => boxes.filter((box) => box.checked);
  // After a decision the list is a new one: it begins at the row that followed.
  const kept = sessionStorage.getItem("triage");
  let at = Math.max(0, rows.findIndex((row) => row.dataset.case === kept));

  function stand(on, view = true) {
    rows[at].classList.remove("here");
    rows[at].removeAttribute("aria-current");
    at = Math.max(0, Math.min(on, rows.length - 1));
    rows[at].classList.add("here");
    rows[at].setAttribute("aria-current", "true");
    if (view) rows[at].scrollIntoView({ block: "nearest" });
  }

  function count() {
    const number = ticked().length;
    form.querySelector("[data-ticked]").value = number;
    all.checked = number === boxes.length;
    all.indeterminate = number > 0 && number < boxes.length;
  }

  function meant() {
    if (!ticked().length) boxes[at].checked = true;
    count();
  }

  const keys = {
    j: () => stand(at + 1),
    k: () => stand(at - 1),
    x: () => { boxes[at].checked = !boxes[at].checked; count(); },
    y: () => { meant(); press("confirmed"); },
    n: () => { meant(); reason.focus(); },
    e: () => rows[at].querySelector("a").click(),
  };
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("textarea, select, input:not([type=checkbox])");
    if (event.ctrlKey || event.metaKey || event.altKey || writing || document.querySelector("dialog[open]")) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  reason.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const box of boxes) box.checked = false;
    count();
    reason.blur();
  });
  form.addEventListener("submit", () => {
    const next = rows.slice(at).find((row, index) => !boxes[at + index].checked);
    sessionStorage.setItem("triage", (next || rows[0]).dataset.case);
  });
  form.addEventListener("change", count);
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; count(); });
  for (const tool of form.querySelectorAll("[data-script]")) tool.hidden = false;
  count();
  stand(at, kept !== null);
}
