"use strict";
// The description of the API by Swagger UI: from our own server, tried out with the token that the page was given.
const place = document.querySelector("[data-api-docs]");
const dark = matchMedia("(prefers-color-scheme: dark)");

function coloured() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

coloured();
dark.addEventListener("change", coloured);
const docs = SwaggerUIBundle({
  url: place.dataset.apiDocs,
  domNode: place,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
  syntaxHighlight: { activated: false },
  onComplete() {
    // It brings a main of its own, and the page has one.
    place.querySelector("main")?.setAttribute("role", "group");
    if (place.dataset.token) docs.preauthorizeApiKey("bearer", place.dataset.token);
  },
});
