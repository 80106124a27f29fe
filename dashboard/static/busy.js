"use strict";
// A form whose answer takes long says so while it waits.
for (const form of document.querySelectorAll("[data-busy]")) {
  form.addEventListener("submit", () => {
    form.querySelector("[data-running]").hidden = false;
    form.querySelector("button").disabled = true;
  });
}
// Back from the answer, the page may be shown as it was left.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-busy]")) {
    form.querySelector("[data-running]").hidden = true;
    form.querySelector("button").disabled = false;
  }
});
