"use strict";

// On a telephone the tabs are one line that moves sideways: the present one is in sight.
const tab = document.querySelector(".bar li [aria-current=page]");
if (tab) tab.closest("ul").scrollLeft = tab.offsetLeft - (innerWidth - tab.offsetWidth) / 2;
// Ctrl-K opens a field from which any place is reached, and what keys do on this screen. Suggestions come while one
// types; the arrows choose, Enter goes there. The field of the search in the header suggests in the same way.
const GO_AFTER_MS = 120;

function suggests(field, list, { actions = false, first = false } = {}) {
  let asked = null, shown = null, timer = 0, active = -1;
  const rows = () => [...list.children];

  function choose(at) {
    active = rows().length ? (at + rows().length) % rows().length : -1;
    rows().forEach((row, number) => row.setAttribute("aria-selected", String(number === active)));
    if (active < 0) field.removeAttribute("aria-activedescendant");
    else {
      field.setAttribute("aria-activedescendant", rows()[active].id);
      rows()[active].scrollIntoView({ block: "nearest" });
    }
  }

  function show(places) {
    list.replaceChildren(...places.map(({ label, kind, go }, number) => {
      const row = document.createElement("li"), words = document.createElement("bdi"), what = document.createElement("span");
      Object.assign(row, { id: `${list.id}-${number}`, role: "option", go });
      words.textContent = label;
      what.className = "under";
      what.textContent = kind;
      row.append(words, " ", what);
      row.addEventListener("mousedown", (event) => { event.preventDefault(); go(); });
      return row;
    }));
    list.hidden = !places.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    choose(first ? 0 : -1);
  }

  function close() {
    asked = null;
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  async function ask() {
    const typed = field.value.trim();
    if (!typed && !actions) { close(); return; }
    asked = typed;
    const answer = await fetch(`${list.dataset.places}?q=${encodeURIComponent(typed)}`).catch(() => null);
    if (!answer?.ok || asked !== typed) return;
    const places = (await answer.json()).map((place) => ({ ...place, go: () => location.assign(place.address) }));
    show([...places, ...(actions ? deeds(typed, list.dataset.deed) : [])]);
    shown = typed;
  }

  // Enter may come before the suggestions for what was typed: they are waited for, as those shown are of other words.
  async function goFirst() {
    const typed = field.value.trim();
    if (shown !== typed) { clearTimeout(timer); await ask(); }
    if (shown === typed && active >= 0) rows()[active].go();
  }

  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, GO_AFTER_MS); });
  field.addEventListener("blur", () => { if (!actions) close(); });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(active + (event.key === "ArrowDown" ? 1 : active < 0 ? 0 : -1));
    } else if (event.key === "Enter" && first) {
      event.preventDefault();
      goFirst();
    } else if (event.key === "Enter" && active >= 0 && !list.hidden) {
      event.preventDefault();
      rows()[active].go();
    } else if (event.key === "Escape" && !list.hidden && !actions) {
      event.preventDefault();
      close();
    }
  });
  return ask;
}

// What keys do on this screen: the buttons and links that have one, and the other keys of its help.
function deeds(typed, kind) {
  const fits = ({ label }) => label && label.toLowerCase().includes(typed.toLowerCase());
  const buttons = [...document.querySelectorAll("[data-key], [data-help-open]")]
    .filter((one) => one.checkVisibility() && !one.disabled)
    .map((one) => ({
      label: (one.getAttribute("aria-label") || one.textContent || one.placeholder || "").trim(),
      key: one.dataset.key || "?",
      go: () => { goDialog.close(); if (one.matches("textarea, input")) one.focus(); else one.click(); },
    }));
  const known = new Set(buttons.map(({ key }) => key));
  const others = [...document.querySelectorAll("[data-help] dt")]
    .map((one) => ({ key: one.textContent.trim(), label: one.nextElementSibling.textContent.trim() }))
    .filter(({ key }) => key.length === 1 && !known.has(key))
    .map(({ key, label }) => ({ key, label, go: () => press(key) }));
  return [...buttons, ...others].filter(fits).map((deed) => ({ ...deed, kind: `${kind} ${deed.key}` }));
}

// The key goes to the screen, not to the field that had the focus before the dialog.
function press(key) {
  goDialog.close();
  document.activeElement?.blur();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}

const goDialog = document.querySelector("[data-go]");
if (goDialog) {
  const field = goDialog.querySelector("input"), ask = suggests(field, goDialog.querySelector("ul"), { actions: true, first: true });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (goDialog.open || document.querySelector("dialog[open]")) return;
    field.value = "";
    goDialog.showModal();
    ask();
  });
  goDialog.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  goDialog.querySelector("[data-close]").addEventListener("click", () => goDialog.close());
  const searched = document.querySelector("form.find input"), beneath = document.querySelector("[data-find-places]");
  if (searched && beneath) {
    for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", beneath.id]]) searched.setAttribute(name, value);
    searched.autocomplete = "off";
    suggests(searched, beneath);
  }
}
