// The centres of a model: two features at a time, or a line for each centre
// when there are many features; and always the table.
import { el, short } from "./dom.js";

// Letters keep their size: a narrow window gets a narrow drawing.
const W = innerWidth < 600 ? 350 : 640, H = innerWidth < 600 ? 330 : 420;
const LEFT = 46, RIGHT = 20, TOP = 30, BOTTOM = 48;
const COLOURS = 8;

const colour = (i) => `k${i % COLOURS}`;

/** Round numbers between low and high. */
function ticks(low, high) {
  const rough = (high - low) / (W < 600 ? 4 : 6), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((s) => s * power >= rough) * power;
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step / 1e6; t += step)
    out.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return out;
}

const title = (f) => (f.unit ? `${f.name} (${f.unit})` : f.name);

function svg(label, ...inside) {
  return el("svg", { class: "picture", role: "img", "aria-label": label,
    viewBox: `0 0 ${W} ${H}` }, ...inside);
}

/** Dots as large as their clusters, numbered. */
function dots(model, features, a, b) {
  const { centers, weights } = model, most = Math.max(...weights, 1e-9);
  const [fx, fy] = [features[a], features[b]];
  const x = (v) => LEFT + (W - LEFT - RIGHT) * (v - fx.lower) /
    (fx.upper - fx.lower);
  const y = (v) => H - BOTTOM - (H - TOP - BOTTOM) * (v - fy.lower) /
    (fy.upper - fy.lower);
  const order = centers.map((_, i) => i)
    .sort((i, j) => weights[j] - weights[i]);
  return svg(`Centres: ${title(fx)} and ${title(fy)}`,
    el("rect", { class: "axis", x: LEFT, y: TOP, width: W - LEFT - RIGHT,
      height: H - TOP - BOTTOM }),
    ticks(fx.lower, fx.upper).map((t) => el("text", { x: x(t),
      y: H - BOTTOM + 18, "text-anchor": "middle" }, short(t))),
    ticks(fy.lower, fy.upper).map((t) => el("text", { x: LEFT - 8,
      y: y(t) + 4, "text-anchor": "end" }, short(t))),
    el("text", { class: "name", x: (W + LEFT - RIGHT) / 2, y: H - 8,
      "text-anchor": "middle" }, title(fx)),
    el("text", { class: "name", x: 4, y: 13 }, title(fy)),
    order.map((i) => {
      const r = 9 + 17 * Math.sqrt(Math.max(weights[i], 0) / most);
      const at = { x: x(centers[i][a]), y: y(centers[i][b]) };
      return el("g", { class: colour(i) },
        el("circle", { class: "dot", cx: at.x, cy: at.y, r }),
        el("text", { class: "inside", x: at.x, y: at.y + 4,
          "text-anchor": "middle" }, i + 1));
    }));
}

/** One line for each centre, each feature within its bounds. */
function lines(model, features) {
  const { centers, weights } = model, n = features.length;
  const most = Math.max(...weights, 1e-9), named = n <= W / 50;
  const x = (i) => LEFT + (W - LEFT - RIGHT) * i / (n - 1);
  const y = (v, f) => H - BOTTOM - (H - TOP - BOTTOM) * (v - f.lower) /
    (f.upper - f.lower);
  return svg("Centres, feature by feature",
    features.map((f, i) => el("g", {},
      el("line", { class: "axis", x1: x(i), x2: x(i), y1: TOP,
        y2: H - BOTTOM }),
      named ? el("text", { x: x(i), y: H - BOTTOM + (i % 2 ? 32 : 18),
        "text-anchor": "middle" }, f.name) : null)),
    el("text", { x: LEFT - 8, y: TOP + 8, "text-anchor": "end" }, "upper"),
    el("text", { x: LEFT - 8, y: H - BOTTOM, "text-anchor": "end" }, "lower"),
    centers.map((c, i) => el("g", { class: colour(i) },
      el("polyline", { class: "line", "stroke-opacity":
        .35 + .65 * Math.max(weights[i], 0) / most,
      points: c.map((v, j) => `${x(j)},${y(v, features[j])}`).join(" ") }),
      el("circle", { class: "dot", r: 9, cx: x(n - 1),
        cy: y(c[n - 1], features[n - 1]) }),
      el("text", { class: "inside", x: x(n - 1), "text-anchor": "middle",
        y: y(c[n - 1], features[n - 1]) + 4 }, i + 1))));
}

function table(model, features) {
  const all = model.weights.reduce((sum, w) => sum + Math.max(w, 0), 0) || 1;
  return el("div", { class: "scroll", tabindex: 0, role: "region",
    "aria-label": "Centres as numbers" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "centre"),
      el("th", { class: "number" }, "share"),
      features.map((f) => el("th", { class: "number" }, title(f))))),
    el("tbody", {}, model.centers.map((c, i) => el("tr", { class: colour(i) },
      el("th", { scope: "row" }, el("span", { class: "swatch" }), i + 1),
      el("td", { class: "number" },
        `${Math.round(100 * Math.max(model.weights[i], 0) / all)} %`),
      c.map((v) => el("td", { class: "number" }, short(v))))))));
}

/** features: {name, unit, lower, upper} each. */
export function picture(model, features) {
  const d = features.length, frame = el("div");
  const flat = { name: "", unit: "", lower: -1, upper: 1 };
  const draw = (a, b) => frame.replaceChildren(dots(model, features, a, b));
  if (d === 1)
    frame.append(dots({ ...model, centers: model.centers.map((c) =>
      [c[0], 0]) }, [features[0], flat], 0, 1));
  else if (d <= 3) draw(0, 1);
  else frame.append(lines(model, features));
  if (d !== 3) return el("div", {}, frame, table(model, features));
  const pairs = [[0, 1], [0, 2], [1, 2]];
  const choice = el("select", { "aria-label": "Features of the picture",
    onchange: () => draw(...pairs[choice.selectedIndex]) },
  pairs.map(([a, b]) => el("option", {},
    `${features[a].name} and ${features[b].name}`)));
  return el("div", {}, choice, frame, table(model, features));
}

export const featuresOf = (task) => task.features.map((f, i) => ({ ...f,
  lower: task.lower[i], upper: task.upper[i] }));
