"use strict";
// An import in the background of the page: how much was sent, how many works are done, then the result.
const form = document.querySelector("[data-intake]");

function show(line, name) {
  for (const part of ["sending", "importing", "broken"]) line.querySelector(`[data-${part}]`).hidden = part !== name;
  line.querySelector("progress").hidden = name === "broken";
}

function finish(page) {
  const fresh = new DOMParser().parseFromString(page, "text/html").querySelector("main");
  document.querySelector("main").replaceWith(document.adoptNode(fresh));
  start(document.querySelector("[data-intake]"));
}

function start(form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const line = form.querySelector("[data-progress]");
    const bar = line.querySelector("progress");
    const request = new XMLHttpRequest();
    line.hidden = false;
    show(line, "sending");
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    request.upload.addEventListener("progress", (sent) => {
      if (sent.lengthComputable) bar.value = (100 * sent.loaded) / sent.total;
    });
    request.upload.addEventListener("load", () => {
      show(line, "importing");
      bar.removeAttribute("value");
    });
    request.addEventListener("progress", () => {
      const lines = request.responseText.split("\n");
      const last = lines[lines.length - 2];
      if (last?.startsWith('{"done"')) line.querySelector("[data-count]").textContent = JSON.parse(last).done.toLocaleString("en");
    });
    request.addEventListener("load", () => {
      const text = request.responseText;
      if (text.startsWith("{")) finish(JSON.parse(text.trimEnd().split("\n").pop()).page);
      else finish(text);
    });
    request.addEventListener("error", () => {
      show(line, "broken");
      for (const button of form.querySelectorAll("button")) button.disabled = false;
    });
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/x-ndjson");
    request.send(new FormData(form));
  });
}

if (form) start(form);
