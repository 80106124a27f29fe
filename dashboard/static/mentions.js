// Names behind an @ in a comment: those that fit stand below the field; arrows and Enter, or a click, take one.
"use strict";

for (const field of document.querySelectorAll("[data-mentions]")) {
  const names = [...document.querySelectorAll(`#${field.dataset.mentions} option`)].map((option) => option.value);
  const list = document.createElement("ul");
  list.id = "mentions";
  list.className = "mentions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", field.dataset.mentionsLabel);
  list.hidden = true;
  field.after(list);
  field.setAttribute("aria-controls", list.id);
  let at = 0;

  const typed = () => /@([^@\n]{0,60})$/u.exec(field.value.slice(0, field.selectionStart));
  const rows = () => [...list.children];

  function mark(index) {
    at = index;
    rows().forEach((row, number) => row.setAttribute("aria-selected", String(number === at)));
    field.setAttribute("aria-activedescendant", rows()[at]?.id || "");
  }

  function close() {
    list.hidden = true;
    field.removeAttribute("aria-activedescendant");
  }

  function take(name) {
    const found = typed(), end = field.selectionStart;
    field.setRangeText(`@${name} `, found ? found.index : end, end, "end");
    close();
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function look() {
    const found = typed();
    const fitting = found ? names.filter((name) => name.toLowerCase().startsWith(found[1].toLowerCase())).slice(0, 6) : [];
    list.replaceChildren(...fitting.map((name, number) => {
      const row = document.createElement("li");
      row.id = `mention-${number}`;
      row.setAttribute("role", "option");
      row.textContent = name;
      row.addEventListener("mousedown", (event) => { event.preventDefault(); take(name); });
      return row;
    }));
    list.hidden = !fitting.length;
    if (fitting.length) mark(0); else close();
  }

  field.addEventListener("input", (event) => { if (event.isTrusted) look(); });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark((at + (event.key === "ArrowDown" ? 1 : rows().length - 1)) % rows().length);
    } else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") {
      event.preventDefault();
      take(rows()[at].textContent);
    } else if (event.key === "Escape") close();
  });
}
