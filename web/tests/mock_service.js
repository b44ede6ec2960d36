// A service in memory for tests of the pages: the routes of
// docs/service_api.md, with one task from tests/vectors/device.json. It can be
// told to lie and to fail. `log` has every request, in order.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { POLICY, staticFile } from "./static_files.js";

const VECTORS = JSON.parse(readFileSync(new URL(
  "../../tests/vectors/device.json", import.meta.url), "utf8"));
const DAY = 86400000;

const digest = (text) => createHash("sha256").update(text).digest("hex");

export class MockService {
  static async start(more = {}) {
    const mock = new MockService();
    const { task, round } = VECTORS[0];
    Object.assign(mock, { task, rounds: [round], state: "running", log: [],
      reports: new Map(), faults: [], enrolled: 0, code: null, model: null,
      token: "operator-token", acts: [], refused: {}, events: [],
      closesAt: Date.now() + 3 * DAY, ...more });
    mock.id = createHash("sha256").update(mock.task).digest()
      .subarray(0, 16).toString("base64url");
    for (const listener of ["public", "operator"]) {
      const server = createServer((request, response) =>
        mock.serve(listener, request, response));
      await new Promise((done) => server.listen(0, "127.0.0.1", done));
      mock[listener] = `http://127.0.0.1:${server.address().port}`;
      mock[`${listener}Server`] = server;
    }
    mock.link = `${mock.public}/tasks/${mock.id}/take-part`;
    return mock;
  }

  close() {
    for (const name of ["publicServer", "operatorServer"]) {
      this[name].closeAllConnections();
      this[name].close();
    }
  }

  /** Requests but for pages and files. */
  api(method) {
    return this.log.filter((r) => r.path.startsWith("/v1/") &&
      (!method || r.method === method));
  }

  serve(listener, request, response) {
    const parts = [];
    request.on("data", (chunk) => parts.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(parts), path = request.url;
      this.log.push({ listener, method: request.method, path, body });
      const file = request.method === "GET" && staticFile(path, listener);
      const send = (status, type, out, headers = {}) => {
        response.writeHead(status, { "Content-Type": type,
          "Content-Security-Policy": POLICY, ...headers });
        response.end(out);
      };
      if (file) return send(200, file.type, file.body);
      const json = (value, status = 200, headers = {}) => send(status, status <
        400 ? "application/json" : "application/problem+json",
      JSON.stringify(value), headers);
      const problem = (status, name, detail = name) => json({ title: name,
        type: `/problems/${name}`, status, detail }, status);
      const base = `/v1/tasks/${this.id}`;
      if (listener === "operator")
        return this.operate(request, body, { json, problem, base });
      return this.answer(request, body, { send, json, problem, base, response });
    });
  }

  answer({ method, url, headers }, body, { send, json, problem, base,
    response }) {
    const route = `${method} ${url.startsWith(base) ? url.slice(base.length)
      : url}`;
    const now = this.rounds.length - 1, fault = route === "POST /reports" &&
      this.faults.shift();
    if (fault === "cut") return response.destroy();
    if (fault) return problem(...fault);
    if (!url.startsWith(base)) return problem(404, "no_task");
    const number = Number(route.match(/^GET \/rounds\/(\d+)$/)?.[1] ?? -1);
    if (number >= 0) return number <= now ? send(200, "application/json",
      this.rounds[number]) : problem(404, "not_published");
    switch (route) {
    case "GET ": return send(200, "application/json", this.task);
    case "GET /status": {
      const known = now >= 0 && { round: now, digest: digest(this.rounds[now]),
        closes_at: this.closesAt };
      const etag = `"${this.state}${now}"`;
      if (headers["if-none-match"] === etag)
        return setTimeout(() => send(304, "application/json", "",
          { ETag: etag }), 200);
      return json({ state: this.state, round: null, digest: null,
        closes_at: null, ...known, spread: 0, wait: 1 }, 200, { ETag: etag });
    }
    case "GET /chain": return json(this.rounds.map((text, i) => ({ round: i,
      digest: digest(text), previous: JSON.parse(text).previous,
      published_at: Date.now() - DAY, state: i < now ? "answered"
        : "collecting" })));
    case "GET /result": return this.model ? json(this.model)
      : problem(404, "not_finished");
    case "POST /enrolments":
      if (this.code && headers["kith-invitation"] !== this.code)
        return problem(403, "invitation_needed", "a code is needed");
      this.enrolled++;
      return send(200, "application/vnd.kith.tags", createHmac("sha256",
        "key").update(body).digest().subarray(0, 16));
    case "POST /reports":
      if (headers["content-type"] !== "application/vnd.kith.report" ||
          body.length !== 80) return problem(400, "bad_report");
      this.reports.set(body.subarray(60, 76).toString("hex"), body);
      return send(204, "text/plain", "");
    default: return problem(404, "no_route");
    }
  }

  /** The operator's view: what GET …/operator says. */
  view() {
    const groups = (text, done) => JSON.parse(text).groups.map((g, i) => {
      const expected = Math.round(this.invited * g.length / 2 ** 53);
      const here = [...this.reports.values()].filter((r) => r[58] === i).length;
      return { group: i, what: g.what, expected,
        target: Math.ceil(.95 * expected), minimum: 50,
        received: done ? expected - 7 * i : (this.received?.[i] ?? 0) + here,
        duplicates: done ? 3 : 0, epsilon: .5, bytes: 41 };
    });
    return { task: this.id, title: "Test", state: this.state, reason: "",
      test: 0, epsilon: .5, clusters: 3, features: 2, minimum: 50,
      enrol: this.code ? "invitation" : "open", release: "auto",
      enrolled: this.enrolled, invited: this.invited,
      created_at: Date.now() - 2 * DAY, started_at: Date.now() - DAY,
      ended_at: null, rounds: this.rounds.map((text, i) => ({ round: i,
        digest: digest(text), state: i < this.rounds.length - 1 ? "answered"
          : this.state === "finished" ? "answered" : "collecting",
        published_at: Date.now() - DAY * (this.rounds.length - i),
        closes_at: this.closesAt, extended: 0, groups: groups(text,
          this.state === "finished" || i < this.rounds.length - 1) })),
      refused: this.refused, spend: { epsilon: .5, reports: 1 },
      forecast: { radius: 4, center_error: .12, smallest_share: .06,
        works: "yes" }, events: this.events };
  }

  get invited() { return this.people ?? 10000; }

  operate({ method, url, headers }, body, { json, problem, base }) {
    if (headers.authorization !== `Bearer ${this.token}`)
      return problem(401, "token_needed", "a token is needed");
    const current = `"${digest(this.rounds.at(-1))}"`;
    const act = url.slice(base.length + 1);
    if (method === "GET" && url === "/v1/tasks") return json([{ task: this.id,
      title: "Test", state: this.state, created_at: Date.now() - 2 * DAY,
      enrolled: this.enrolled, round: this.rounds.length - 1 }]);
    if (method === "GET" && url === `${base}/operator`) return json(this.view());
    if (method === "GET" && url === base) return json(JSON.parse(this.task));
    if (method === "GET" && url === `${base}/result`)
      return this.model ? json(this.model) : problem(404, "not_finished");
    if (method === "POST" && url === `${base}/invitations`)
      return json({ codes: [...Array(JSON.parse(body).count).keys()].map((i) =>
        `code-${i}`) });
    if (method !== "POST" || !url.startsWith(base))
      return problem(404, "no_route");
    if (act !== "start" && !headers["if-match"])
      return problem(428, "match_needed");
    if (act !== "start" && headers["if-match"] !== current)
      return problem(412, "moved_on", "the task has moved on");
    const said = body.length ? JSON.parse(body) : {};
    this.acts.push([act, said]);
    this.events.unshift({ at: Date.now(), who: "operator", what: act,
      detail: said.reason || "" });
    if (act === "extend") this.closesAt += 1000 * said.seconds;
    if (act === "abort") this.state = "aborted";
    if (act === "resume" || act === "start") this.state = "running";
    if (act === "close") {
      this.state = "finished";
      this.model = this.model || this.final;
    }
    return json(this.view());
  }
}
