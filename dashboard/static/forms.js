// Forms: what is marked so sends its form as soon as it changes, and needs no button then.
"use strict";

for (const box of document.querySelectorAll("[data-sends]")) box.addEventListener("change", () => box.form.requestSubmit());
for (const button of document.querySelectorAll("[data-without-script]")) {
  if (button.form?.querySelector("[data-sends]")) button.hidden = true;
}
