// Keys: ? shows them, u takes the last decision back, and what is marked with a key of its own is pressed by it. In a
// text of several lines, Ctrl and Enter press the button that it names.
"use strict";

const help = document.querySelector("[data-help]");

document.addEventListener("keydown", (event) => {
  const { form, dataset } = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form && dataset.enter) {
    const button = form.querySelector(dataset.enter);
    if (button) form.requestSubmit(button);
    return;
  }
  const writing = event.target.closest("textarea, select, input:not([type=checkbox])");
  if (event.ctrlKey || event.metaKey || event.altKey || writing || help.open) return;
  if (event.key === "?") {
    help.showModal();
    return;
  }
  const undo = document.querySelector("[data-undo]");
  if (event.key === "u" && undo) undo.requestSubmit();
  const target = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (!target) return;
  event.preventDefault(); // the letter must not be written into the field that it leads to
  if (target.matches("textarea, input")) target.focus();
  else target.click();
});
for (const button of document.querySelectorAll("[data-help-open]")) {
  button.hidden = false;
  button.addEventListener("click", () => help.showModal());
}
