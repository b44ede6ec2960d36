// Small words for pages: elements, numbers and times. Texts are always set as
// text, never parsed, so nothing that a service sends can become markup.

/** el("p", { class: "muted" }, "words", other) */
export function el(tag, props = {}, ...inside) {
  const svg = ["svg", "g", "path", "circle", "line", "text", "polyline",
    "rect", "title"].includes(tag);
  const out = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) out.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) out.style.setProperty(name, value);
    else out.setAttribute(name, value === true ? "" : value);
  }
  out.append(...inside.flat().filter((x) => x !== null && x !== undefined)
    .map((x) => (x instanceof Node ? x : String(x))));
  return out;
}

export const $ = (selector) => document.querySelector(selector);

export function put(selector, ...inside) {
  const at = $(selector);
  at.replaceChildren(...inside.flat().filter((x) => x !== null));
  return at;
}

/** Shows one of the parts that have data-part, hides the others. */
export function part(name) {
  for (const at of document.querySelectorAll("[data-part]"))
    at.hidden = at.dataset.part !== name;
}

/** At most so many digits that matter, and no more than needed. */
export function short(value, digits = 3) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const far = Math.abs(value) >= 1e9 || Math.abs(value) < 1e-4;
  return far ? value.toExponential(digits - 1)
    : Number(value.toPrecision(Math.max(digits,
      Math.ceil(Math.log10(Math.abs(value)))))).toLocaleString("en-GB",
      { maximumFractionDigits: 10 });
}

export const whole = (value) => Number(value).toLocaleString("en-GB");
export const percent = (chance) => `${short(100 * chance)} %`;

export function span(ms) {
  const minutes = Math.floor(Math.abs(ms) / 60000);
  const days = Math.floor(minutes / 1440), hours = Math.floor(minutes / 60);
  if (days >= 2) return `${days} days`;
  if (hours >= 2) return `${hours} h ${minutes % 60} min`;
  if (minutes >= 2) return `${minutes} min`;
  return `${Math.floor(Math.abs(ms) / 1000)} s`;
}

export const moment = (ms) => (ms === null || ms === undefined ? "–"
  : new Date(ms).toLocaleString("en-GB", { dateStyle: "medium",
    timeStyle: "short" }));

export const hex = (bytes) =>
  Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/** What a task file says that pages show; its bounds are base64 of float64. */
export function readTask(text) {
  const task = JSON.parse(text);
  const reals = (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return [...new Float64Array(bytes.buffer)];
  };
  return { ...task, lower: reals(task.bounds.lower),
    upper: reals(task.bounds.upper) };
}
