import { el, put } from "./dom.js";
import { advice, PROBLEMS } from "./problems.js";

const name = location.pathname.split("/").pop();
put("#name", name);
put("#advice", advice(name));
put("#all", el("tbody", {}, Object.entries(PROBLEMS).map(([key, words]) =>
  el("tr", {}, el("th", { scope: "row" }, el("code", {}, key)),
    el("td", {}, words)))));
