// Enter in the reason leaves out the passage that is being read, the marked one of the list (x leads there: keys.js).
"use strict";

const why = document.querySelector("[data-excludes]");

why?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const marked = document.querySelector(".passages li:has(a.here) button");
  if (marked) why.form.requestSubmit(marked);
});
