// The 80 bytes for people: which of them is what (docs/protocol.md).
import { el, hex } from "./dom.js";

const NUMBER = 76;

/** The number in an envelope. */
export function numberOf(bytes) {
  let out = 0;
  for (let i = NUMBER + bytes[1] - 41; i >= NUMBER; i--)
    out = 256 * out + bytes[i];
  return out;
}

/** drawn: false before the answer, when the number is not known yet. */
export function bytesTable(bytes, drawn) {
  const end = NUMBER + bytes[1] - 40;
  const rows = [[0, 4, "form, and length of the report"],
    [4, 20, "random bytes of this browser: its half of the draw"],
    [20, 36, "random bytes of the service: its half of the draw"],
    [36, 40, "kind of report"], [40, 56, "which task"],
    [56, 60, "which round, which question"],
    [60, 76, "drawn by both halves, so that the report counts once"],
    [NUMBER, end, drawn ? "the number" : "the number: drawn when you press"]];
  if (end < bytes.length) rows.push([end, bytes.length, "nothing"]);
  return el("table", { class: "bytes" },
    el("thead", {}, el("tr", {}, el("th", {}, "bytes"), el("th", {}, "what"),
      el("th", {}, "as sent"))),
    el("tbody", {}, rows.map(([from, to, what]) => el("tr",
      { class: from === NUMBER ? "chosen" : null },
      el("td", {}, to - from === 1 ? from : `${from}–${to - 1}`),
      el("td", {}, what),
      el("td", {}, el("code", {}, from === NUMBER && !drawn
        ? "··".repeat(to - from) : hex(bytes.subarray(from, to))))))));
}
