"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** An element with properties and children; whatever is a string becomes text and never markup. */
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text with what stands between backticks as code. */
const prose = (text) => text.split(/`([^`]*)`/).map((part, number) => (number % 2 ? make("code", {}, part) : part));
const chip = (kind, text) => make("span", { class: `chip ${kind}` }, text);
const chips = (kinds) => kinds.map((kind) => chip(kind, WORDS[kind] || kind));
const plural = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
const WORDS = { likely: "likely broken", clean: "nothing found" };
