// One row of a person's own file, read in the browser.

function cells(line) {
  const out = [];
  for (const [, quoted, plain] of
    line.matchAll(/(?:^|[,;\t])(?:"((?:[^"]|"")*)"|([^,;\t]*))/g))
    out.push((quoted !== undefined ? quoted.replaceAll("\"\"", "\"")
      : plain).trim());
  return out;
}

/** The values of the named columns in row n (from 1), as texts; or what is
 *  wrong, in said. */
export function fromCsv(text, n, names) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return { said: "The file is empty." };
  const head = cells(lines[0]);
  const missing = names.filter((name) => !head.includes(name));
  if (missing.length > 0)
    return { said: `The file has no column ${missing.join(", ")}.` };
  if (!(n >= 1 && n < lines.length))
    return { said: `The file has rows 1 to ${lines.length - 1}.` };
  const row = cells(lines[n]);
  return { values: names.map((name) => row[head.indexOf(name)] ?? "") };
}
