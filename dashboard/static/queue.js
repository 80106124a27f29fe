// The queue by keyboard. What a key or a button acts on is marked: the ticked rows, or else the row one stands on. A
// decision is sent while the next row is already shown; where it is refused, the row is there again.
"use strict";

for (const form of document.querySelectorAll("[data-queue]")) {
  const find = (what) => form.querySelector(what);
  const reason = find("[name=reason]"), assignee = find("[name=assignee]"), all = find("[data-tick-all]");
  const pane = find("[data-preview]"), sure = document.querySelector("[data-sure]");
  const rows = () => [...form.querySelectorAll("tr[data-case]:not([hidden])")];
  const box = (row) => row.querySelector("input[name=case]");
  const ticked = () => rows().filter((row) => box(row).checked);
  const whole = () => Boolean(find("[data-all]")?.checked);
  const shown = (row) => row.dataset.case;
  let here = null, last = null, sending = 0, change = 0;
  const under_way = new Set();

  const meant = () => (ticked().length ? ticked() : here ? [here] : []);
  // Of all cases of the filter, some can; of the rows that are seen, each.
  const leads = (one, status) => one.dataset.moves.split(" ").includes(status);
  const movable = (status) =>
    whole() ? leads(find("[data-all]"), status) : meant().length > 0 && meant().every((row) => leads(row, status));
  const returned = () =>
    whole() ? find("[data-all]").dataset.returned : meant().length > 0 && meant().every((row) => row.dataset.returned);

  // ---- where one stands, and what is acted on

  function stand(row, view = true) {
    for (const one of form.querySelectorAll("tr.here")) {
      one.classList.remove("here");
      one.removeAttribute("aria-current");
    }
    here = row || null;
    if (here) {
      here.classList.add("here");
      here.setAttribute("aria-current", "true");
      sessionStorage.setItem("queue", shown(here));
      if (view) here.scrollIntoView({ block: "nearest" });
    }
    tell();
    look();
  }

  function step(by) {
    const list = rows();
    stand(list[Math.max(0, Math.min(list.indexOf(here) + by, list.length - 1))]);
  }

  function tell() {
    const chosen = ticked(), acted = meant();
    for (const row of rows()) row.classList.toggle("meant", acted.includes(row) || whole());
    const cases = acted.reduce((sum, row) => sum + box(row).value.split(",").length, 0);
    all.checked = chosen.length > 0 && chosen.length === rows().length;
    all.indeterminate = chosen.length > 0 && !all.checked;
    if (!find("[data-acts]")) return;
    find("[data-on]").value = whole() ? "" : acted.slice(0, 4).map((row) => `#${shown(row)}`).join(" ");
    find("[data-ticked]").value = whole() ? find("[data-all]").dataset.count : cases;
    find("[data-more-than-one]").hidden = !(whole() || chosen.length || cases > 1);
    for (const button of form.querySelectorAll("button[name=status], button[name=usual]")) {
      button.disabled = !movable(button.name === "usual" ? "dismissed" : button.value);
    }
    const confirm = find("[data-again]");
    confirm.textContent = returned() ? confirm.dataset.again : confirm.dataset.first;
  }

  // ---- the case beside the list, and the one that follows

  const previews = new Map();
  function preview(row) {
    const number = shown(row);
    if (!previews.has(number)) {
      const address = form.dataset.previewAt.replace(/\d+$/, number) + location.search;
      const text = fetch(address).then((answer) => (answer.ok && !answer.redirected ? answer.text() : ""));
      previews.set(number, text.catch(() => { previews.delete(number); return ""; }));
    }
    return previews.get(number);
  }

  let looking = 0;
  function look() {
    if (!pane || !pane.parentElement.offsetParent || !matchMedia("(min-width: 75rem)").matches) return;
    const row = here;
    clearTimeout(looking);
    if (!row) { pane.hidden = true; return; }
    const show = async () => {
      const text = await preview(row);
      if (here !== row) return;
      pane.hidden = false;
      pane.innerHTML = text;
      pane.dataset.shows = shown(row);
      pane.scrollTop = 0;
      const list = rows(), next = list[list.indexOf(row) + 1];
      if (next) preview(next);
    };
    if (previews.has(shown(row))) show();
    else looking = setTimeout(show, 60); // who runs down the list wants to see where he stops
  }

  // ---- what was done

  function toast(words, undo = false) {
    const line = document.createElement("div"), said = document.createElement("p");
    line.className = undo ? "toast" : "toast refused";
    said.className = undo ? "flash" : "flash refused";
    said.setAttribute("role", undo ? "status" : "alert");
    said.textContent = words;
    line.append(said);
    const spare = document.querySelector("[data-undo-form]");
    if (undo && spare) line.append(spare.content.cloneNode(true));
    document.querySelector("[data-toasts]").replaceChildren(line);
  }

  // The list as it is by now, but for what somebody is writing.
  async function refresh(to = null) {
    const mine = ++change;
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok || answer.redirected || mine !== change || sending) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== change || sending) return;
    const at = rows().indexOf(here), number = to || (here && shown(here)), kept = ticked().map(shown);
    for (const old of document.querySelectorAll("[data-swap]")) {
      const found = fresh.querySelector(`[data-swap=${old.dataset.swap}]`);
      if (found) old.replaceWith(document.adoptNode(found));
      else old.replaceChildren();
    }
    const list = rows();
    for (const row of list) box(row).checked = kept.includes(shown(row));
    stand(list.find((row) => shown(row) === number) || list[Math.min(Math.max(at, 0), list.length - 1)], false);
  }

  function ask(words) {
    sure.querySelector("[data-sure-words]").textContent = words;
    sure.returnValue = "no";
    sure.showModal();
    return new Promise((resolve) => {
      sure.addEventListener("close", () => resolve(sure.returnValue === "yes"), { once: true });
    });
  }

  // ---- decisions

  async function judge(name, value, sureOf = false) {
    const status = name === "usual" ? "dismissed" : value;
    const acted = meant(), everything = whole();
    if (!movable(status)) { toast(form.dataset.notFromHere); return; }
    const words = reason.value.trim();
    const wanting = { dismissed: form.dataset.needsReason, confirmed: form.dataset.needsGrounds }[status];
    if (name === "status" && wanting && !words) {
      toast(wanting);
      reason.focus();
      return;
    }
    const sent = new URLSearchParams({ csrf_token: find("[name=csrf_token]").value, [name]: value, reason: words });
    sent.set("listed_at", find("[name=listed_at]").value);
    const until = find("[name=until]");
    if (status === "quiet" && until?.value) {
      sent.set("until", until.value);
      until.value = ""; // of this decision alone
    }
    if (everything) sent.set("all", "1");
    for (const row of acted) sent.append("case", box(row).value);
    if (sureOf) sent.set("sure", "1");
    const list = rows(), leaves = form.dataset.leaves !== undefined && !everything;
    const from = list.indexOf(acted.includes(here) || !acted.length ? here : acted[0]);
    const next = list.slice(from).find((row) => !acted.includes(row)) || list.find((row) => !acted.includes(row));
    const back = here, moves = acted.map((row) => row.dataset.moves);
    for (const row of acted) {
      row.hidden = leaves;
      row.dataset.moves = ""; // until the list says what its new status allows
      box(row).checked = false;
    }
    if (everything) find("[data-all]").checked = false;
    reason.value = "";
    reason.blur();
    stand(next || here);
    sending += 1;
    const sends = forms.send(form.action, sent);
    under_way.add(sends);
    const answer = await sends
      .then(async (got) => ({ ok: got.ok, ...(await got.json()) }))
      .catch((error) => ({ ok: false, refusal: error instanceof TypeError ? forms.words.offline : form.dataset.failed }));
    sending -= 1;
    under_way.delete(sends);
    if (answer.ok && answer.moved.length) {
      last = shown(acted[0] || back);
      toast(answer.said.join(" "), true);
      if (!sending) refresh();
      return;
    }
    acted.forEach((row, at) => {
      row.hidden = false;
      row.dataset.moves = moves[at];
      box(row).checked = acted.length > 1;
    });
    if (everything) find("[data-all]").checked = true;
    reason.value = words;
    stand(back);
    if (answer.sure) {
      if (await ask(answer.sure)) await judge(name, value, true);
    } else {
      toast(answer.refusal || answer.said.join(" "));
      if (answer.ok && !sending) refresh();
    }
  }

  // ---- keys

  const press = (name, value) => { if (find("[data-acts]")) judge(name, value); };
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    x: () => { if (here) { box(here).checked = !box(here).checked; tell(); } },
    y: () => press("status", "confirmed"),
    s: () => press("status", "quiet"),
    n: () => { if (!reason) return; if (movable("dismissed")) reason.focus(); else toast(form.dataset.notFromHere); },
    a: () => assignee?.focus(),
    e: () => here?.querySelector("a").click(),
    o: () => { const fold = here?.querySelector("details"); if (fold) fold.open = !fold.open; },
    Escape: () => { for (const row of rows()) box(row).checked = false; tell(); },
  };
  [...form.querySelectorAll("button[name=usual]")].forEach((button, at) => {
    keys[at + 1] = () => press("usual", button.value);
  });
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("textarea, select, input:not([type=checkbox])");
    if (event.ctrlKey || event.metaKey || event.altKey || writing || document.querySelector("dialog[open]")) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (!event.repeat || "jk".includes(event.key)) keys[event.key](); // a key that is held decides once
  });
  // In a field, Enter does what the key that led to it began, and Escape lets it go.
  for (const [field, enter] of [
    [reason, () => judge("status", "dismissed")],
    [assignee, () => form.requestSubmit(find("[data-assign]"))],
  ]) {
    field?.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") { event.preventDefault(); enter(); }
      if (event.key === "Escape") { field.value = ""; field.blur(); }
    });
  }
  form.addEventListener("submit", (event) => {
    const { name, value } = event.submitter || {};
    if (name === "status" || name === "usual") {
      event.preventDefault();
      judge(name, value);
    } else {
      for (const row of meant()) box(row).checked = true;
    }
  });
  // Each `u` takes one decision more back, behind those that are still on their way.
  let undone = Promise.resolve();
  document.addEventListener("submit", (event) => {
    const undo = event.target.closest("[data-undo]");
    if (!undo) return;
    event.preventDefault();
    change += 1; // a list that is still on its way would move the cursor off again
    if (last) sessionStorage.setItem("queue", last);
    const sent = new URLSearchParams(new FormData(undo));
    undone = undone.then(async () => {
      await Promise.all(under_way);
      sending += 1;
      const said = await forms.send(undo.action, sent).then(async (answer) => ({ ok: answer.ok, ...(await answer.json()) }))
        .catch(() => ({ ok: false, refusal: forms.words.offline }));
      sending -= 1;
      toast(said.ok ? said.said : said.refusal, said.ok);
      if (!sending) await refresh(last);
    });
  });
  form.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-case]");
    if (row && !event.target.closest("a, summary")) stand(row, false);
  });
  form.addEventListener("change", (event) => {
    if (event.target === all) for (const row of rows()) box(row).checked = all.checked;
    tell();
  });
  for (const tool of form.querySelectorAll("[data-script]")) tool.hidden = false;
  const kept = sessionStorage.getItem("queue");
  const known = rows().find((row) => shown(row) === kept);
  stand(known || rows()[0], Boolean(known));
}
