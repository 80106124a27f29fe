// Pickers: a field that names a work offers those that fit what is typed.
"use strict";

const PICK_AFTER_MS = 150;

document.querySelectorAll("[data-pick]").forEach((field, number) => {
  const list = document.createElement("datalist");
  list.id = `pick-${number}`;
  field.after(list);
  field.setAttribute("list", list.id);
  let timer = 0, asked = "";
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const typed = field.value.trim();
    if (!typed || [...list.options].some((option) => option.value === typed)) return;
    timer = setTimeout(async () => {
      asked = typed;
      const answer = await fetch(`${field.dataset.pick}?q=${encodeURIComponent(typed)}`).catch(() => null);
      if (!answer?.ok || asked !== typed) return;
      list.replaceChildren(...(await answer.json()).map(({ value, label }) => new Option(label, value)));
    }, PICK_AFTER_MS);
  });
});
