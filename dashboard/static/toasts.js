// What was done is said in a corner for a while; with script it goes by itself, unless somebody looks at it.
"use strict";

const toasts = document.querySelector("[data-toasts]");
function passing(toast) {
  const wait = () => setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), 12_000);
  wait();
}

for (const toast of toasts.children) passing(toast);
new MutationObserver((changes) => {
  for (const change of changes) for (const toast of change.addedNodes) if (toast.matches?.(".toast")) passing(toast);
}).observe(toasts, { childList: true });
