// What was done is said in a corner for a while; with script it goes by itself, unless somebody looks at it.
"use strict";

for (const toast of document.querySelectorAll("[data-toasts] .toast")) {
  const wait = () => setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), 12_000);
  wait();
}
