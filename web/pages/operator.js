// The operator's page: looks every two seconds, and acts when told to.
import { $, el, put, readTask, span } from "./dom.js";
import { Operator } from "./operator_api.js";
import { digests, events, forecastTable, forecastWords, refusals, roundOf,
  spendTable, spendWords, statePill, strip, tiles, timeLeft }
  from "./operator_view.js";
import { featuresOf, picture } from "./picture.js";

const EVERY = 2000;
let operator = null, chosen = location.pathname.split("/")[2] || null;
let view = null, round = null, drawn = null, seen = 0;

/** Only what changed is drawn again, so that focus and open things stay. */
const last = new Map();
function show(selector, key, make) {
  const now = JSON.stringify(key);
  if (last.get(selector) === now) return;
  last.set(selector, now);
  put(selector, make());
}

function say(error) {
  $("#said").hidden = !error;
  put("#said", error ? `${error.message}. ${error.advice ||
    "The service cannot be reached."}` : "");
}

// ---- acts ------------------------------------------------------------------

const EXTENSIONS = [["1 hour", 3600], ["1 day", 86400], ["2 days", 172800],
  ["1 week", 604800]];

function extra(what) {
  if (what === "extend") return el("span", {}, el("label", { for: "more" },
    "How much longer?"), el("select", { id: "more" }, EXTENSIONS.map(
    ([words, s], i) => el("option", { value: s, selected: i === 1 }, words))));
  if (what === "abort") return el("span", {}, el("label", { for: "more" },
    "Reason, which people will see"), el("input", { id: "more" }));
  if (what === "start") return el("span", {}, el("label", { for: "more" },
    "People to count on"), el("input", { id: "more", type: "number", min: 1,
    value: view.enrolled }));
  return el("span");
}

const bodies = { extend: (v) => ({ seconds: Number(v) }),
  abort: (v) => ({ reason: v }), start: (v) => ({ invited: Number(v) }) };

const ACTS = {
  start: { label: "Start", when: (v) => v.state === "enrolling",
    words: "The first question becomes public. The number of people is fixed." },
  publish: { label: "Publish", when: (v) => v.rounds.at(-1)?.state === "draft",
    words: "The question becomes public. It cannot be changed afterwards." },
  close: { label: "Close the round", typed: "close",
    when: (v) => v.state === "running" &&
      v.rounds.at(-1)?.state === "collecting",
    words: "Reports that come later are not counted, and their senders are not " +
      "asked again. Groups below their minimum are given up." },
  extend: { label: "Extend", when: (v) => ["running", "paused"].includes(v.state)
      && v.rounds.length > 0, words: "The round closes later." },
  resume: { label: "Resume", when: (v) => ["paused", "stuck"].includes(v.state),
    words: "The task goes on from where it stopped." },
  abort: { label: "Abort", typed: "abort", danger: true,
    when: (v) => !["finished", "aborted"].includes(v.state),
    words: "The task ends without a result. Those who have answered have spent " +
      "their epsilon for nothing." },
};

let settle = null; // tells the last dialog's answer

/** What was typed or chosen; null: leave it. */
function confirmed(what) {
  const { label, words, typed, danger } = ACTS[what], dialog = $("#confirm");
  settle?.();
  put("#confirm-head", `${label}?`);
  put("#confirm-words", words);
  put("#confirm-extra", extra(what));
  $("#confirm-type").hidden = !typed;
  $("#typed").value = "";
  $("#yes").textContent = label;
  $("#yes").className = danger ? "danger" : "main";
  $("#yes").disabled = Boolean(typed);
  if (typed) put("label[for=typed]", `Type “${typed}” to go on`);
  $("#typed").oninput = () => {
    $("#yes").disabled = $("#typed").value.trim() !== typed;
  };
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    settle = () => {
      settle = null;
      resolve(dialog.returnValue === "yes" ? $("#more")?.value ?? "" : null);
    };
  });
}

// The event comes a moment after the dialog has closed: another one may be open
// by then, whose answer this is not.
$("#confirm").addEventListener("close", () => {
  if (!$("#confirm").open) settle?.();
});

async function act(what) {
  const meant = view; // what was on the screen, not what comes meanwhile
  const value = await confirmed(what);
  if (value === null) return;
  try {
    view = await operator.act(meant, what, bodies[what]?.(value));
    say(null);
    draw();
  } catch (error) {
    say(error);
    await look();
  }
}

// ---- drawing ---------------------------------------------------------------

function draw() {
  const now = view.rounds.at(-1)?.round ?? null;
  const at = round ?? now;
  document.title = `${view.title} – kith`;
  $("#task").hidden = false;
  show("#title", view.title, () => view.title);
  show("#state", view.state, () => statePill(view.state));
  $("#reason").hidden = !view.reason;
  show("#reason", view.reason, () => view.reason || "");
  show("#tiles", [view.enrolled, view.invited, view.rounds, view.state], () =>
    tiles(view));
  show("#acts", [view.state, view.rounds.length, view.rounds.at(-1)?.state],
    () => Object.entries(ACTS).filter(([, a]) => a.when(view)).map(([what, a]) =>
      el("button", { id: `act-${what}`, class: a.danger ? "danger" : null,
        onclick: () => act(what) }, `${a.label} …`)));
  show("#strip", [view.rounds.map((r) => r.state), at], () => strip(view, at,
    (n) => { round = n === now ? null : n; draw(); }));
  show("#round", [view.rounds[at], at], () => roundOf(view.rounds[at]));
  show("#spend", view.spend, () => spendWords(view));
  show("#spend-table", view.rounds.map((r) => r.digest), () => spendTable(view));
  show("#forecast", view.forecast, () => forecastWords(view));
  show("#forecast-table", view.forecast, () => forecastTable(view));
  $("#refused-card").hidden = !Object.values(view.refused).some((n) => n > 0);
  show("#refused", view.refused, () => refusals(view.refused));
  $("#invite-card").hidden = view.enrol !== "invitation" ||
    ["finished", "aborted"].includes(view.state);
  show("#events", view.events, () => events(view.events));
  show("#digests", view.rounds.map((r) => r.digest), () => digests(view.rounds));
  put("#link", `/tasks/${view.task}/take-part`);
  drawResult();
}

async function drawResult() {
  const ended = view.state === "finished", { task } = view;
  $("#picture-card").hidden = !ended || drawn !== task;
  if (!ended || drawn === task) return;
  try {
    const [model, file] = await Promise.all([operator.result(task),
      operator.task(task)]);
    put("#picture", picture(model, featuresOf(readTask(JSON.stringify(file)))));
    $("#download").href = URL.createObjectURL(new Blob([JSON.stringify(model,
      null, 2)], { type: "application/json" }));
    $("#download").download = `${task}.json`;
    drawn = task;
    $("#picture-card").hidden = view.task !== task;
  } catch (error) {
    if (![404, 405].includes(error.status)) return say(error);
    // Not on this listener: the public page has it.
    put("#picture", el("p", {}, "The result is at ", el("code", {},
      `/tasks/${task}`), " of the public address."));
    $("#download").hidden = true;
    drawn = task;
    $("#picture-card").hidden = view.task !== task;
  }
  return null;
}

function choose(task) {
  chosen = task;
  round = drawn = view = null;
  last.clear();
  put("#codes");
  say(null);
  look();
}

async function look() {
  try {
    const tasks = await operator.tasks();
    chosen ||= tasks[0]?.task ?? null;
    $("#no-tasks").hidden = tasks.length > 0;
    show("#tasks", [tasks, chosen], () => tasks.map((t) => el("li", {},
      el("button", { "aria-current": t.task === chosen ? "true" : null,
        onclick: () => choose(t.task) }, el("span", { class: "row spread" },
        el("b", {}, t.title), statePill(t.state)), el("small", {},
        `${t.enrolled.toLocaleString("en-GB")} enrolled${t.round === null ? ""
          : `, round ${t.round + 1}`}`)))));
    const wanted = chosen, next = wanted && await operator.view(wanted);
    if (wanted === chosen && next) {
      view = next;
      draw();
    }
    seen = Date.now();
    $("#stale").hidden = true;
    return null;
  } catch (error) {
    $("#stale").hidden = !seen;
    put("#stale", `no answer for ${span(Date.now() - seen)}`);
    return error;
  }
}

async function follow() {
  if (!document.hidden) await look();
  setTimeout(follow, EVERY);
}

$("#enter").addEventListener("submit", async (event) => {
  event.preventDefault();
  operator = new Operator($("#token").value.trim());
  const error = await look();
  $("#enter-said").hidden = !error;
  put("#enter-said", error ? `${error.message}. ${error.advice ||
    "The service cannot be reached."}` : "");
  if (error) return;
  $("#token").value = "";
  $("#enter").hidden = true;
  $("#inside").hidden = false;
  setTimeout(follow, EVERY);
  setInterval(() => { if (view && $("#left")) put("#left", timeLeft(view)); },
    1000);
});

$("#invite").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { codes } = await operator.invite(view.task, Number($("#count").value));
    put("#codes", el("p", { class: "note warn" }, "Shown once: copy them now. " +
      "One person each; in a link, add ", el("code", {}, "#code=…"), "."),
    el("textarea", { rows: Math.min(10, codes.length), readonly: true,
      "aria-label": "Invitation codes" }, codes.join("\n")));
  } catch (error) {
    say(error);
  }
});
