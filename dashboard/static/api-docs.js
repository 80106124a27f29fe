"use strict";
// The description of the API by Swagger UI: from our own server, tried out with the token that the page was given.
const place = document.querySelector("[data-api-docs]");
const dark = matchMedia("(prefers-color-scheme: dark)");

function coloured() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

coloured();
dark.addEventListener("change", coloured);

// It brings a main and a first heading of its own, and the page has both.
const AS = { main: "div", h1: "h2" };
function inPage({ React }) {
  const make = React.createElement;
  React.createElement = (type, ...rest) => make(AS[type] || type, ...rest);
  return {};
}

const docs = SwaggerUIBundle({
  url: place.dataset.apiDocs,
  domNode: place,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
  syntaxHighlight: { activated: false },
  plugins: [inPage],
  onComplete() {
    if (place.dataset.token) docs.preauthorizeApiKey("bearer", place.dataset.token);
  },
});
