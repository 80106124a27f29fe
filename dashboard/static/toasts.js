// What was done is said in a corner for a while; with script it goes by itself, unless somebody looks at it.
"use strict";

const toasts = document.querySelector("[data-toasts]");
function passing(toast) {
  const wait = () => setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), 12_000);
  wait();
}

// Whoever writes sees the field: what is said goes to the other end of the window.
function uncover(field) {
  if (!field?.matches("input, textarea, select")) return;
  const under = field.getBoundingClientRect();
  const covers = [...toasts.children].some((toast) => {
    const over = toast.getBoundingClientRect();
    return over.top < under.bottom && under.top < over.bottom && over.left < under.right && under.left < over.right;
  });
  if (covers) toasts.classList.toggle("above");
}
document.addEventListener("focusin", ({ target }) => uncover(target));

for (const toast of toasts.children) passing(toast);
new MutationObserver((changes) => {
  for (const change of changes) for (const toast of change.addedNodes) if (toast.matches?.(".toast")) passing(toast);
  uncover(document.activeElement);
}).observe(toasts, { childList: true });
