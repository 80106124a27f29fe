// On paper page and work stand passage by passage, side by side, in place of two columns that run apart.
"use strict";

for (const template of document.querySelectorAll("template[data-pairs]")) {
  const compare = template.closest("[data-compare]");
  let sheet = null;

  function stretch(side, number) {
    const cell = document.createElement("td");
    cell.className = "text";
    for (const mark of compare.querySelectorAll(`[data-pane="${side}"] mark[data-passage~="${number}"]`)) {
      const copy = mark.cloneNode(true);
      copy.classList.remove("here", "change");
      cell.append(copy);
    }
    return cell;
  }

  function about(number) { // the number, and what the list of passages tells of it
    const cell = document.createElement("th");
    cell.scope = "row";
    cell.textContent = number;
    const listed = document.querySelector(`.passages a[data-passage="${number}"]`)?.parentElement;
    for (const one of listed?.querySelectorAll(":scope > span") || []) cell.append(document.createElement("br"), one.cloneNode(true));
    return cell;
  }

  function remove() {
    sheet?.remove();
    sheet = null;
    compare.classList.remove("paired");
  }

  window.addEventListener("beforeprint", () => {
    remove();
    const numbers = [...compare.querySelectorAll('[data-pane="page"] a.ref')].map((one) => one.dataset.passage);
    if (!numbers.length) return;
    sheet = template.content.firstElementChild.cloneNode(true);
    sheet.tBodies[sheet.tBodies.length - 1].append(...numbers.map((number) => {
      const row = document.createElement("tr");
      row.append(about(number), stretch("page", number), stretch("work", number));
      return row;
    }));
    template.after(sheet);
    compare.classList.add("paired");
  });
  window.addEventListener("afterprint", remove);
}
