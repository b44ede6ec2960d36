// What the operator sees of a task: words, tiles, bars and tables.
import { el, moment, percent, short, span, whole } from "./dom.js";
import { PROBLEMS } from "./problems.js";

const STATES = { enrolling: ["people join", ""], running: ["collecting", ""],
  paused: ["paused", "warn"], stuck: ["stuck", "bad"],
  finished: ["finished", ""], aborted: ["aborted", "quiet"] };

export function statePill(state) {
  const [words, kind] = STATES[state] || [state, "quiet"];
  return el("span", { class: `pill ${kind}` }, words);
}

const sum = (list, key) => list.reduce((all, x) => all + x[key], 0);

export function timeLeft(view) {
  const round = view.rounds.at(-1);
  if (view.state !== "running" || !round?.closes_at) return "–";
  const left = round.closes_at - Date.now();
  return left > 0 ? span(left) : "now";
}

export function tiles(view) {
  const groups = view.rounds.flatMap((round) => round.groups);
  const tile = (value, words, id) => el("div", {}, el("b", { id }, value),
    el("span", {}, words));
  return [tile(whole(view.enrolled), "enrolled"),
    tile(view.invited ? whole(view.invited) : "–", "counted on"),
    tile(whole(sum(groups, "received")), "reports"),
    tile(view.rounds.length ? view.rounds.length : "–", "rounds so far"),
    tile(timeLeft(view), "left in this round", "left"),
    tile(short(view.epsilon), "epsilon a person")];
}

// ---- rounds ----------------------------------------------------------------

export function strip(view, chosen, choose) {
  return view.rounds.map((round) => el("li", { class: round.state },
    el("button", { type: "button", "aria-pressed": round.round === chosen,
      "aria-label": `Round ${round.round + 1}, ${round.state}`,
      onclick: () => choose(round.round) }, round.round + 1)));
}

/** A bar with a mark where the group has enough to be looked at, and another
 *  where the round may close. */
function bar(group) {
  const most = Math.max(group.expected, group.received, group.minimum, 1);
  const at = (n, end = 99.6) => `${Math.min(100 * n / most, end)}%`;
  const enough = group.received >= group.minimum;
  return el("div", { class: "group" },
    el("div", { class: "row spread" },
      el("span", {}, el("b", {}, `Group ${group.group + 1}: `), group.what),
      el("span", {}, el("b", {}, whole(group.received)), ` of ${
        whole(group.expected)}`, enough ? null : el("span",
        { class: "pill warn" }, `${whole(group.minimum - group.received)} ` +
          "below the minimum"))),
    el("div", { class: `bar ${enough ? "" : "low"}`, role: "meter",
      "aria-label": `Group ${group.group + 1}`, "aria-valuemin": 0,
      "aria-valuemax": most, "aria-valuenow": group.received,
      "aria-valuetext": `${group.received} of ${group.expected}, minimum ${
        group.minimum}` },
    el("div", { class: "fill", "--at": at(group.received, 100) }),
    el("div", { class: "tick", "--at": at(group.minimum),
      title: `minimum ${group.minimum}` }),
    !group.target ? null : el("div", { class: "tick target",
      "--at": at(group.target), title: `enough to close: ${group.target}` })));
}

export function roundOf(round) {
  if (!round) return el("p", { class: "muted" }, "No question is public yet.");
  const when = { collecting: `Public since ${moment(round.published_at)}, closes ` +
      `${moment(round.closes_at)} at the latest${round.extended
        ? " (extended)" : ""}.`,
  draft: "A draft: nobody sees it until you publish it.",
  closed: "Closed; being counted.",
  answered: `Public since ${moment(round.published_at)}; counted.` };
  const twice = sum(round.groups, "duplicates");
  return el("div", {}, el("p", {}, el("b", {}, `Round ${round.round + 1}. `),
    when[round.state] || round.state), round.groups.map(bar),
  el("p", { class: "muted" }, "Solid mark: fewest reports that anything is " +
    "estimated from. " + (round.groups.some((g) => g.target)
    ? "Dashed mark: enough to close." : "It closes when you say so, or when its " +
      "time is over.") + (twice
      ? ` ${whole(twice)} were sent more than once and are counted once.` : "")));
}

// ---- spend, forecast, refusals ---------------------------------------------

export const spendWords = (view) => `Nobody spends more than epsilon ${
  short(view.spend.epsilon)}, in ${view.spend.reports === 1 ? "one report"
  : `${view.spend.reports} reports`}: what a device sends is at most ${
  short(Math.exp(view.spend.epsilon))} times as likely from one person as from ` +
  "any other.";

/** Groups of a round that ask and cost the same are one line. */
function alike({ round, groups }) {
  const lines = new Map();
  for (const { what, epsilon } of groups) {
    const key = JSON.stringify([what, epsilon]);
    const line = lines.get(key) || { round, what, epsilon, groups: 0 };
    line.groups++;
    lines.set(key, line);
  }
  return [...lines.values()];
}

export const spendTable = (view) => [el("thead", {}, el("tr", {},
  el("th", {}, "round"), el("th", {}, "question"),
  el("th", { class: "number" }, "epsilon"))),
el("tbody", {}, view.rounds.flatMap(alike).map(({ round, what, epsilon,
  groups }) => el("tr", {}, el("td", {}, round + 1),
  el("td", {}, groups > 1 ? `${what} (${groups} groups)` : what),
  el("td", { class: "number" }, short(epsilon)))))];

const WORKS = { yes: "With so many people the centres should stand out from the " +
  "noise.", doubtful: "The centres may drown in the noise: more people, more " +
  "epsilon or fewer clusters would help.", no: "The result will be noise." };

export const forecastWords = (view) => (view.forecast
  ? WORKS[view.forecast.works] || "" : "There is none before the start.");

export function forecastTable({ forecast }) {
  if (!forecast) return [];
  const row = (words, value) => el("tr", {}, el("th", { scope: "row" }, words),
    el("td", { class: "number" }, value));
  return [el("tbody", {},
    row("a centre is off by about", short(forecast.center_error)),
    row("of a radius of", short(forecast.radius)),
    row("smallest cluster that is seen", percent(forecast.smallest_share)))];
}

export const refusals = (refused) => el("tbody", {}, Object.entries(refused)
  .filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]).map(([name, n]) =>
    el("tr", {}, el("th", { scope: "row" }, el("code", {}, name)),
      el("td", { class: "number" }, whole(n)),
      el("td", {}, PROBLEMS[name] || ""))));

export const events = (list) => el("tbody", {}, list.length === 0
  ? el("tr", {}, el("td", {}, "Nothing yet.")) : list.map((e) => el("tr", {},
  el("td", {}, moment(e.at)), el("td", {}, e.who), el("td", {}, e.what),
  el("td", {}, e.detail))));

export const digests = (rounds) => el("tbody", {}, rounds.map((r) => el("tr", {},
  el("th", { scope: "row" }, `round ${r.round + 1}`),
  el("td", {}, el("code", {}, r.digest)))));
