// The participant's page. A device (kith-device) decides; this file shows what
// it says. Until a button is pressed there are only GETs of public files; the
// values are read from the fields when the button is pressed, and kept nowhere.
import { Device, IndexedStore, KithError } from "./kith-device/index.js";
import { $, el, part, percent, put, readTask, short, span } from "./dom.js";
import { bytesTable, numberOf } from "./envelope.js";
import { fromCsv } from "./csv.js";
import { advice } from "./problems.js";

const name = location.pathname.split("/")[2];
// What follows # stays in the browser: an invitation code, test=1 for tests.
const hash = new URLSearchParams(location.hash.slice(1));
const WALLET = 8;
const LOOK_AGAIN = 25; // seconds that a service may hold an answer
let device = null, features = [], words = null;

function step(n) {
  $("#steps").hidden = false;
  [...$("#steps").children].forEach((item, i) => {
    item.className = i < n ? "done" : "";
    if (i === n) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
}

const say = (text) => put("#live", text ? el("p", { class: "note" }, text) : []);

function refuse(error) {
  const known = error instanceof KithError;
  put("#problem-head", known && ["privacy", "budget", "input"].includes(
    error.type) ? "This device refuses" : "It did not work");
  put("#problem", known ? error.message : "The service cannot be reached.");
  put("#advice", advice(known ? error.type : "offline"));
  part("problem");
}

const guard = (body) => async (event) => {
  event?.preventDefault();
  try {
    await body(event);
  } catch (error) {
    if (!(error instanceof KithError)) console.warn(error);
    refuse(error);
  }
};

// ---- what it is for ---------------------------------------------------------

function introduce() {
  const { facts } = device;
  document.title = `${facts.title} – take part`;
  put("#title", facts.title);
  put("#who", "asked by ", el("b", {}, facts.operator), ` (${facts.contact})`,
    facts.test ? el("span", { class: "pill warn" }, "a test") : "");
  put("#purpose", facts.purpose);
  put("#promise", `The answers of many people are used to find ${
    facts.clusters} typical groups. Your report costs at most epsilon ${
    short(facts.epsilon)}: whatever is sent is at most ${
    short(Math.exp(facts.epsilon))} times as likely from you as from anybody ` +
    "else.");
  $("#result").href = `/tasks/${name}`;
}

// ---- the fields -------------------------------------------------------------

function drawFields() {
  features = device.facts.features;
  put("#fields", features.map((f, i) => {
    const help = `from ${short(f.lower, 6)} to ${short(f.upper, 6)}`;
    return el("div", {},
      el("label", { for: `f${i}` }, f.unit ? `${f.name} (${f.unit})` : f.name),
      el("input", { id: `f${i}`, inputmode: "decimal", autocomplete: "off",
        required: true, "aria-describedby": `h${i}`, oninput: look }),
      el("small", { id: `h${i}` }, help));
  }));
}

/** null: not a number. A comma is what half of the world types. */
function valueOf(i) {
  const text = $(`#f${i}`).value.trim().replace(",", ".");
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}

function look() {
  $("#missing").hidden = true;
  const moved = features.flatMap((f, i) => {
    const v = valueOf(i);
    $(`#f${i}`).removeAttribute("aria-invalid");
    return v === null || (v >= f.lower && v <= f.upper) ? []
      : [`${f.name} counts as ${short(v < f.lower ? f.lower : f.upper, 6)}`];
  });
  $("#clipped").hidden = moved.length === 0;
  put("#clipped", moved.length ? `Outside of what is asked about: ${
    moved.join(", ")}.` : "");
}

function values() {
  const all = features.map((_, i) => valueOf(i));
  const bad = all.flatMap((v, i) => (v === null ? [i] : []));
  for (const i of bad) $(`#f${i}`).setAttribute("aria-invalid", "true");
  $("#missing").hidden = bad.length === 0;
  if (bad.length === 0) return all;
  put("#missing", `Please give a number for ${
    bad.map((i) => features[i].name).join(", ")}.`);
  $(`#f${bad[0]}`).focus();
  return null;
}

async function fillFromFile() {
  const file = $("#file").files[0];
  if (!file) return put("#csv-said", "Choose a file first.");
  const row = fromCsv(await file.text(), Number($("#line").value),
    features.map((f) => f.name));
  if (row.said) return put("#csv-said", row.said);
  row.values.forEach((v, i) => { $(`#f${i}`).value = v; });
  look();
  return put("#csv-said", `Filled in from row ${$("#line").value}.`);
}

// ---- what will be sent ------------------------------------------------------

async function ask() {
  words = await device.explain();
  const fits = words.favoured * words.likely;
  // The service's words are in quotes and have none inside.
  const [, what, looks] = words.text.match(
    /^You are asked: "([^"]*)"\. (.*?\.) It sends one number/s);
  put("#question", looks);
  put("#what", `The service calls it: “${what}”.`);
  put("#sent", "One number below ", el("b", {}, words.numbers),
    ", drawn at random, and nothing else about you. ", words.favoured === 1
      ? "One of these numbers fits your values."
      : `${words.favoured} of these numbers fit your values.`);
  put("#chance", el("span", { "--part": fits }),
    el("span", { "--part": 1 - fits }));
  put("#odds", el("b", {}, percent(fits)), " of the time it is one that fits, ",
    el("b", {}, percent(1 - fits)), " of the time one that does not.");
  put("#meaning", "Whoever sees the number cannot be sure which. With other " +
    `values this number would come up with a chance of ${
      percent(words.unlikely)} instead of ${percent(words.likely)}, or the ` +
    `other way round: a factor of ${short(words.likely / words.unlikely)} at ` +
    "most.");
  put("#cost", `This uses epsilon ${short(words.epsilon)}. Of the ${WALLET} ` +
    `that this browser gives away in all, ${short(words.left)} will be left.`);
  put("#words", words.text);
  put("#bytes", bytesTable(words.bytes, false));
  step(2);
  part("asked");
}

// ---- sending, and afterwards ------------------------------------------------

/** The kept bytes, until the service has them. */
async function send() {
  step(2);
  put("#sending", "The number was drawn. It leaves after a short random pause.");
  put("#kept", bytesTable(device.envelope(), true));
  part("sending");
  await device.send();
  receipt();
}

function receipt() {
  const bytes = device.envelope();
  const late = device.record.refused;
  put("#done-head", late ? "Your answer came too late" : "Receipt");
  put("#receipt", late ? advice(late) : el("span", {}, "Your report was sent: ",
    "the number ", el("b", { id: "number" }, numberOf(bytes)), ". Thank you."));
  put("#receipt-odds", words ? `It came up with a chance of ${
    percent(words.likely)} or ${percent(words.unlikely)}, depending on your ` +
    "values. Nobody who sees it can be sure which." : "");
  put("#receipt-cost", "This browser has answered this task and will not answer " +
    "it again. It keeps these 80 bytes, not your values.");
  put("#receipt-bytes", bytesTable(bytes, true));
  step(late ? 2 : 3);
  part("done");
}

// ---- looking ----------------------------------------------------------------

function waitingWords({ state, closes_at: closes }) {
  if (state === "enrolling") return "The task has not started: people are " +
    "still joining.";
  if (state === "paused" || state === "stuck")
    return "The service has paused the task. You need to do nothing.";
  return `The current question is put to others${closes ? `, for at most ${
    span(closes - Date.now())} more` : ""}. Yours may be the next.`;
}

async function follow() {
  for (let wait = 0; ; wait = LOOK_AGAIN) {
    const from = Date.now();
    const state = await device.poll({ wait });
    if (state === "over") return part("over");
    if (state === "done" || device.record.refused) return receipt();
    if (state === "asked")
      return device.envelope() ? send() : ask();
    put("#waiting", waitingWords(device.status));
    step(1);
    part("waiting");
    // A service that does not hold its answers is not asked all the time.
    const rest = 1000 * LOOK_AGAIN - (Date.now() - from);
    if (wait && rest > 0)
      await new Promise((resolve) => setTimeout(resolve, Math.min(rest, 1000 *
        Math.max(1, Math.min(device.status.wait, 60)))));
  }
}

async function start() {
  say("");
  const wasm = await (await fetch("/static/kith-device/kith_device.wasm"))
    .arrayBuffer();
  device = await Device.join({ server: location.origin, task: name, wasm,
    store: await IndexedStore.open(), policy: { wallet: WALLET,
      testTasks: hash.get("test") === "1" } });
  introduce();
  drawFields();
  const { enrol } = readTask(device.task);
  if (enrol === "backend" && !device.record.enrolled)
    throw new KithError("backend_only", "This task is answered in an app.");
  if (device.record.enrolled) return follow();
  $("#code-field").hidden = enrol !== "invitation";
  $("#code").required = enrol === "invitation";
  $("#code").value = hash.get("code") || "";
  step(0);
  return part("join");
}

$("#join").addEventListener("submit", guard(async () => {
  await device.enrol($("#code").value.trim() || undefined);
  await follow();
}));
$("#answer").addEventListener("submit", guard(async () => {
  const record = values();
  if (!record) return;
  $("#send").disabled = true;
  try {
    await device.answer(record);
  } finally {
    $("#send").disabled = false;
  }
  for (let i = 0; i < features.length; i++) $(`#f${i}`).value = "";
  await send();
}));
$("#take").addEventListener("click", guard(fillFromFile));
$("#again").addEventListener("click", guard(start));
guard(start)();
