// How far a task is, and its result: public, no token.
import { $, el, moment, percent, put, readTask, short, whole } from "./dom.js";
import { featuresOf, picture } from "./picture.js";
import { advice } from "./problems.js";

const base = `/v1/tasks/${location.pathname.split("/")[2]}`;

async function get(path) {
  const response = await fetch(base + path);
  if (response.ok) return response.text();
  const { type } = await response.json().catch(() => ({}));
  throw new Error(advice(String(type || "").split("/").pop()));
}

const STATES = { enrolling: "People are joining; no question has been asked yet.",
  paused: "The task has paused.", stuck: "The task has paused.",
  aborted: "The task was ended without a result.", finished: "Finished." };

/** What 1 % of dishonest people can pretend in a cell, by local hashing into g
 *  values (docs/local.md, "What poisoning can do"). */
function pretended(epsilon) {
  const e = Math.exp(epsilon), g = Math.round(e) + 1;
  return .01 * (1 - 1 / g) / (e / (e + g - 1) - 1 / g);
}

function limits(model, task) {
  const { collected, forecast, privacy } = model, list = [];
  put("#spend", `Nobody spent more than epsilon ${short(
    privacy.per_user.epsilon)}, in one report of 80 bytes. Guarantee: `, el("b", {}, privacy.guarantee), ".");
  if (forecast) {
    list.push(`Noise alone moves a centre by about ${
      short(forecast.center_error)}. Clusters of less than ${
      percent(forecast.smallest_share)} of the people are not seen.`);
  }
  list.push("The noise shrinks with the square root of the number of people: " +
    "four times as many halve it.");
  if (collected) {
    list.push(`${whole(collected.reports)} reports of ${
      whole(collected.invited)} people were counted. If one in a hundred of ` +
      `them lied together, they could make up a cluster of ${
        percent(pretended(privacy.per_user.epsilon))}.`);
    if (collected.enrol === "open") list.push("Anybody could enrol, as often as " +
      "they liked: the service only limited how fast.");
  }
  list.push("Rounds close when enough reports are there, which favours devices " +
    "that answer quickly.");
  if (task.test) list.push("This was a test: its coins may not be secret.");
  put("#limit-list", list.map((words) => el("li", {}, words)));
  $("#limits").hidden = false;
}

function drawResult(text, task) {
  const model = JSON.parse(text);
  put("#summary", `${model.k} centres in ${model.dimension} ${
    model.dimension === 1 ? "feature" : "features"}; dots are as large as their ` +
    "share of the people.");
  put("#picture", picture(model, featuresOf(task)));
  $("#model").href = `${base}/result`;
  $("#result").hidden = false;
  limits(model, task);
}

async function start() {
  const task = readTask(await get(""));
  document.title = task.title;
  put("#title", task.title);
  put("#who", "asked by ", el("b", {}, task.operator), ` (${task.contact})`);
  put("#purpose", task.purpose);
  $("#take-part").href = `${location.pathname}/take-part`;
  const status = JSON.parse(await get("/status"));
  put("#progress", STATES[status.state] || `Round ${status.round + 1} collects` +
    `${status.closes_at ? `, until ${moment(status.closes_at)} at the latest`
      : ""}.`);
  $("#part").hidden = ["finished", "aborted"].includes(status.state);
  const chain = JSON.parse(await get("/chain"));
  put("#chain", el("tbody", {}, chain.map((r) => el("tr", {},
    el("th", { scope: "row" }, `round ${r.round + 1}`),
    el("td", {}, el("code", {}, r.digest)), el("td", {}, r.state)))));
  if (status.state === "finished") drawResult(await get("/result"), task);
}

start().catch((error) => {
  put("#title", "It did not work");
  $("#problem").hidden = false;
  put("#problem", error.message);
});
