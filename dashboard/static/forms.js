// Forms: what is written into them is kept in this browser until it was taken, a session that ended is renewed over the
// page, and what is marked so sends its form as soon as it changes.
"use strict";

for (const box of document.querySelectorAll("[data-sends]")) box.addEventListener("change", () => box.form.requestSubmit());
for (const button of document.querySelectorAll("[data-without-script]")) {
  if (button.form?.querySelector("[data-sends]")) button.hidden = true;
}

const person = document.body.dataset.person || "";
const said = document.querySelector("[data-form-words]")?.dataset || {};

// ---- drafts: by person, page, form and record; of passwords, files and the queue there are none

const KEPT_DAYS = 7;
const WRITTEN = "textarea, input:not([type]), input[type=text], input[type=date], input[type=email], input[type=url]";
const keeps = (form) =>
  person && form.method === "post" && !form.matches("[data-queue], [data-sign-in-form]") && !form.querySelector("[type=password]");
// Hidden fields name the record that a form changes, but for these, which change while somebody writes.
const PASSING = new Set(["csrf_token", "seen", "shown", "next", "listed_at"]);
function recordOf(form) {
  const named = [...form.querySelectorAll("input[type=hidden]")].filter((field) => !PASSING.has(field.name));
  return JSON.stringify([form.hasAttribute("action") ? "" : location.search, ...named.map((field) => [field.name, field.value])]);
}
const draftKey = (form) => `draft ${person} ${location.pathname} ${new URL(form.action).pathname} ${recordOf(form)}`;
const written = (form) => [...form.querySelectorAll(WRITTEN)].filter((field) => field.name);

function stored(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function store(key, value) {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a full browser keeps no drafts */ }
}

const changed = (form) => written(form).filter((field) => field.value !== field.defaultValue);

function keep(form) {
  const fields = changed(form);
  if (!fields.length) { localStorage.removeItem(draftKey(form)); return; }
  const values = Object.fromEntries(fields.map((field) => [field.name, [field.defaultValue, field.value]]));
  store(draftKey(form), { at: Date.now(), values });
}

// A form was taken once a page comes that refuses nothing; what was refused stands in the form again.
function forgetTaken() {
  const refused = document.querySelector("main [role=alert], .gate");
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith("draft "))) {
    const draft = stored(key);
    if (!draft || Date.now() - draft.at > KEPT_DAYS * 86_400_000 || (draft.sent && !refused)) localStorage.removeItem(key);
    else if (draft.sent) store(key, { ...draft, sent: false });
  }
}

function restore(form) {
  const draft = stored(draftKey(form));
  if (!draft) return;
  const back = written(form).filter((field) => draft.values[field.name]?.[0] === field.value);
  if (!back.length) return;
  for (const field of back) field.value = draft.values[field.name][1];
  for (let up = form.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
  const line = document.createElement("p"), drop = document.createElement("button");
  line.className = "under draft";
  line.setAttribute("role", "status");
  line.append(`${said.restored} `, drop);
  Object.assign(drop, { type: "button", className: "quiet", textContent: said.discard });
  drop.addEventListener("click", () => {
    for (const field of back) field.value = field.defaultValue;
    localStorage.removeItem(draftKey(form));
    line.remove();
  });
  form.append(line);
}

if (person || document.querySelector(".gate")) forgetTaken();
for (const form of [...document.forms].filter(keeps)) {
  const early = changed(form).length > 0; // somebody wrote before this script ran
  restore(form);
  if (early) keep(form);
}
document.addEventListener("input", ({ target }) => {
  if (target.form && keeps(target.form) && target.matches(WRITTEN)) keep(target.form);
});

// ---- the session: asked for before a form is sent, unless it was there a moment ago

const FRESH_MS = 60_000;
const dialog = document.querySelector("[data-sign-in]");
let there = Date.now(), asking = null;

async function look() {
  const answer = await fetch("/session/", { headers: { Accept: "application/json" }, cache: "no-store" });
  const state = await answer.json();
  if (state.person === person) there = Date.now();
  return state;
}

function renew(token) {
  const parts = [document, ...[...document.querySelectorAll("template")].map((one) => one.content)];
  for (const part of parts) for (const field of part.querySelectorAll("input[name=csrf_token]")) field.value = token;
}

async function try_(address, values) {
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
  const token = page.querySelector("[name=csrf_token]")?.value || "";
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ ...values, csrf_token: token, next: "/session/" }) });
  const shown = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { code: new URL(answer.url).pathname.endsWith("/code") && !shown.querySelector(".problem"), refusal: shown.querySelector(".problem")?.textContent };
}

// Resolves to whether the same person is signed in again.
function signIn() {
  if (!dialog) return Promise.resolve(false);
  asking ||= new Promise((resolve) => {
    const form = dialog.querySelector("form"), code = dialog.querySelector("[data-code]"), problem = dialog.querySelector("[data-problem]");
    let right = false;
    const send = async (event) => {
      event.preventDefault();
      const { value: password } = form.elements.password, { value: digits } = form.elements.code;
      try {
        const attempt = () => (code.hidden ? try_("/sign-in/", { name: person, password }) : try_("/sign-in/code", { code: digits }));
        let step = await attempt(), state = step.code || step.refusal ? null : await look();
        // An answer that was still on its way may have put its own cookie over that of the form: then once more.
        if (state && state.person !== person && code.hidden) {
          step = await attempt();
          state = step.code || step.refusal ? null : await look();
        }
        problem.textContent = step.refusal || "";
        if (step.code) { code.hidden = false; form.elements.code.focus(); return; }
        if (step.refusal) return;
        if (state.person !== person) { problem.textContent = said.failed; return; }
        renew(state.token);
        right = true;
        dialog.close();
      } catch { problem.textContent = said.offline; }
    };
    form.addEventListener("submit", send);
    dialog.addEventListener("close", () => {
      form.removeEventListener("submit", send);
      form.reset();
      code.hidden = true;
      problem.textContent = "";
      asking = null;
      resolve(right);
    }, { once: true });
    dialog.querySelector("[data-close]").onclick = () => dialog.close();
    dialog.showModal();
  });
  return asking;
}

function tell(words) {
  const line = document.createElement("div"), text = document.createElement("p");
  line.className = "toast refused";
  text.className = "flash refused";
  text.setAttribute("role", "alert");
  text.textContent = words;
  line.append(text);
  document.querySelector("[data-toasts]").replaceChildren(line);
}

// Whether a form may be sent now: the session is there, or was renewed over the page.
async function ready() {
  if (!dialog || Date.now() - there < FRESH_MS) return true;
  try {
    return (await look()).person === person || (await signIn());
  } catch {
    tell(said.offline);
    return false;
  }
}

// What a script sends; where the session has ended it is sent again after the person has signed in.
async function send(address, body) {
  const post = () => fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  let answer = await post();
  if (answer.status === 401 && (await signIn())) {
    body.set("csrf_token", document.querySelector("input[name=csrf_token]").value);
    answer = await post();
  }
  there = answer.ok ? Date.now() : there;
  return answer;
}
globalThis.forms = { send, words: said };

// A form that is marked so puts the page that follows in the place of its own: one press of Back leads to the page
// before. What is refused is sent once more in the plain way, which shows the refusal.
let plain = null;
async function replace(form, submitter) {
  if (form.dataset.sending) return;
  form.dataset.sending = "1";
  const answer = await send(form.action, new URLSearchParams(new FormData(form, submitter))).catch(() => null);
  if (answer?.ok) { location.replace((await answer.json()).location); return; }
  delete form.dataset.sending;
  plain = form;
  form.requestSubmit(submitter);
}

let passed = null;
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (form.method !== "post" || form.matches("[data-sign-in-form]") || form.closest(".gate")) return;
  if (form.matches("[data-queue]") && ["status", "usual"].includes(submitter?.name)) return; // by its own script
  if (passed !== form && dialog && Date.now() - there >= FRESH_MS) {
    event.preventDefault();
    event.stopImmediatePropagation();
    ready().then((may) => {
      if (!may) return;
      passed = form;
      form.requestSubmit(submitter);
    });
    return;
  }
  passed = null;
  if (keeps(form)) {
    keep(form);
    const draft = stored(draftKey(form));
    if (draft) store(draftKey(form), { ...draft, sent: true });
  }
  if (form.matches("[data-replaces]") && plain !== form) {
    event.preventDefault();
    replace(form, submitter);
  }
  plain = null;
}, true);
// Who begins to write after a while learns at once that the session has ended.
document.addEventListener("focusin", ({ target }) => {
  if (target.form && keeps(target.form) && target.matches(WRITTEN)) ready();
});
