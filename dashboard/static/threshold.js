"use strict";
// The threshold over the histogram: drag it, and see how many cases lie at or above it.
const slider = document.querySelector("[data-threshold]");
const shown = document.querySelector("[data-threshold-shown]");
const above = document.querySelector("[data-above]");
const link = document.querySelector("[data-threshold-link]");
const columns = [...document.querySelectorAll("[data-histogram] [data-low]")];

function follow() {
  const threshold = Number(slider.value);
  let cases = 0;
  for (const column of columns) {
    const counts = Number(column.dataset.low) >= threshold;
    column.classList.toggle("below", !counts);
    if (counts) cases += Number(column.dataset.cases);
  }
  shown.textContent = `${threshold}%`;
  above.textContent = cases.toLocaleString("en");
  const address = new URL(link.dataset.thresholdLink, location.href);
  address.searchParams.set("share_from", (threshold / 100).toFixed(2));
  link.href = address;
}

if (slider) {
  slider.hidden = false;
  slider.addEventListener("input", follow);
  follow();
}
