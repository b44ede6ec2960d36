// The operator's half of the API (docs/service_api.md). The token lives in this
// object and nowhere else.
import { advice } from "./problems.js";

export class Problem extends Error {
  constructor(type, status, detail) {
    super(detail || type);
    Object.assign(this, { type, status, advice: advice(type) });
  }
}

export class Operator {
  constructor(token) { this.token = token; }

  async call(method, path, { body, match } = {}) {
    const headers = { Authorization: `Bearer ${this.token}` };
    if (body) headers["Content-Type"] = "application/json";
    if (match) headers["If-Match"] = `"${match}"`;
    const response = await fetch(`/v1/tasks${path}`, { method, headers,
      body: body && JSON.stringify(body), cache: "no-store" });
    if (response.ok) return response.status === 204 ? null : response.json();
    const said = await response.json().catch(() => ({}));
    throw new Problem(String(said.type || "").split("/").pop() ||
      `http_${response.status}`, response.status, said.detail || said.title);
  }

  tasks() { return this.call("GET", ""); }
  view(task) { return this.call("GET", `/${task}/operator`); }
  task(task) { return this.call("GET", `/${task}`); }
  result(task) { return this.call("GET", `/${task}/result`); }

  /** An act on the round that was on the screen: the service refuses it when
   *  the task has moved on meanwhile. */
  act(view, what, body) {
    return this.call("POST", `/${view.task}/${what}`, { body,
      match: what === "start" ? null : view.rounds.at(-1)?.digest ?? "none" });
  }

  invite(task, count) {
    return this.call("POST", `/${task}/invitations`, { body: { count } });
  }
}
