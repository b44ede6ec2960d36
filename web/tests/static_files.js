// What kithd serves to browsers (docs/service_api.md), from the source tree:
// pages, modules, and kith_device.wasm from where KITH_WASM says.
import { readFileSync } from "node:fs";

const WEB = new URL("../", import.meta.url);
const TYPES = { html: "text/html; charset=utf-8", css: "text/css",
  js: "text/javascript", svg: "image/svg+xml", wasm: "application/wasm", json: "application/json" };
export const POLICY = "default-src 'self'; script-src 'self' " +
  "'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; " +
  "frame-ancestors 'none'";
const PAGES = { public: [[/^\/$/, "index.html"],
  [/^\/tasks\/[\w-]{22}$/, "result.html"],
  [/^\/tasks\/[\w-]{22}\/take-part$/, "take-part.html"],
  [/^\/problems\/\w+$/, "problem.html"]],
operator: [[/^\/(tasks\/[\w-]{22})?$/, "operator.html"]] };

/** {type, body} of a path, or null. */
export function staticFile(path, listener) {
  const page = PAGES[listener].find(([pattern]) => pattern.test(path))?.[1];
  const name = page || path.match(/^\/static\/((?:kith-device\/)?[\w.-]+)$/)?.[1];
  if (!name) return null;
  const at = name === "kith-device/kith_device.wasm"
    ? process.env.KITH_WASM || new URL(name, WEB)
    : new URL(name.startsWith("kith-device/") ? name : `pages/${name}`, WEB);
  try {
    return { type: TYPES[name.split(".").pop()], body: readFileSync(at) };
  } catch {
    return null;
  }
}
