// A form to run a function on minions. It shows which minions match before it sends.

import { get, post } from "./api.js";
import { alert, busy, button, choice, field, fill, h, note, state } from "./dom.js";
import { count, plural } from "./format.js";
import { parse } from "./arguments.js";
import { ask, jobLink, minionLink, recall, remember } from "./viewkit.js";

export const title = "Run";

const types = [
  ["glob", "Glob (web-*)"], ["list", "List (a,b,c)"], ["pcre", "Regular expression"], ["grain", "Grain (os:Debian)"], ["grain_pcre", "Grain by regular expression"],
  ["compound", "Compound (G@os:Debian and web-*)"], ["nodegroup", "Node group"], ["range", "Range"], ["pillar", "Pillar (role:web)"],
  ["pillar_exact", "Pillar, exact"], ["pillar_pcre", "Pillar by regular expression"], ["ipcidr", "Subnet or address"],
];

const offered = [
  "test.ping", "test.version", "test.versions", "test.arg", "cmd.run", "cmd.run_all", "cmd.script", "cp.get_file", "disk.usage", "file.grep", "file.read", "grains.get", "grains.items",
  "network.interfaces", "network.ip_addrs", "network.netstat", "pillar.get", "pillar.items", "pkg.install", "pkg.list_upgrades", "pkg.upgrade", "pkg.version", "ps.top",
  "saltutil.find_job", "saltutil.kill_job", "saltutil.refresh_pillar", "saltutil.running", "saltutil.sync_all", "schedule.list", "service.restart", "service.start", "service.status", "service.stop",
  "state.apply", "state.highstate", "state.show_sls", "state.show_top", "state.single", "state.sls", "status.diskusage", "status.loadavg", "status.meminfo", "status.uptime", "sys.doc", "system.reboot", "user.list_users",
];

// Functions that only read: they need no warning. Functions that change machines or take long
// are not here.
const harmless = new Set([
  "test.ping", "test.version", "test.versions", "test.arg", "test.echo", "test.true", "test.fib", "test.sleep", "grains.get", "grains.item", "grains.items", "grains.ls", "pillar.get", "pillar.items", "pillar.item",
  "disk.usage", "network.interfaces", "network.ip_addrs", "pkg.version", "saltutil.running", "saltutil.find_job", "service.status", "status.diskusage", "status.loadavg", "status.meminfo", "status.uptime", "sys.doc",
]);

const many = 1000; // number of minions from which a function that may change them needs a second confirmation
const historyName = "mom.run.history";
const historySize = 20;
const shownMinions = 100;

// show is the form, filled in from the address.
export async function show(root, params, signal, query) {
  fill(root, new RunForm(signal, query).el);
}

// keyOf makes an Idempotency-Key; pages without TLS lack randomUUID.
function keyOf() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

class RunForm {
  constructor(signal, query) {
    this.signal = signal;
    this.tgt = field({ label: "Target", name: "tgt", value: query.get("tgt") ?? "", placeholder: "web-*", required: true });
    this.type = choice({ label: "Target type", name: "tgt_type", options: types, value: types.some(([t]) => t === query.get("tgt_type")) ? query.get("tgt_type") : "glob" });
    this.fun = field({ label: "Function", name: "fun", value: query.get("fun") ?? "", placeholder: "test.ping", required: true, list: offered });
    this.args = h("textarea", { id: "run-arguments", name: "arg", rows: 4, class: "mono", spellcheck: "false", autocapitalize: "none", autocomplete: "off", "aria-describedby": "run-hint" });
    this.args.value = query.getAll("arg").join("\n");
    this.reading = h("pre", { class: "reading muted", "aria-label": "The arguments as they are sent" });
    this.preview = h("section", { class: "card stack", "aria-label": "Preview", "aria-live": "polite" });
    this.said = h("div", { class: "stack" });
    this.warned = h("div");
    this.submit = button("Run", null, { kind: "primary", type: "submit" });
    const left = Number(query.get("left_out")) || 0;
    const form = h("form", { class: "card stack", "aria-label": "Run a function", novalidate: true },
      h("div", { class: "run-pair" }, this.tgt, this.type), this.fun,
      h("div", { class: "field" }, h("label", { for: "run-arguments" }, "Arguments"), this.args,
        h("span", { id: "run-hint", class: "muted hint" }, "One a line. name=value is a keyword argument; numbers, true, false and JSON are what they look like.")),
      left ? note(`${plural(left, "argument")} of that job that may hold a secret ${left === 1 ? "was" : "were"} not filled in: add ${left === 1 ? "it" : "them"}.`) : null,
      this.reading, this.warned, this.said, h("div", { class: "row" }, button("Preview", () => this.look()), this.submit));
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.send();
    });
    form.addEventListener("input", () => this.changed());
    this.form = form;
    this.past = h("section", { class: "card stack", "aria-label": "History" });
    this.drawHistory();
    this.changed();
    this.preview.hidden = true;
    this.el = h("div", { class: "stack" }, h("h1", null, title), h("div", { class: "run-grid" }, h("div", { class: "stack" }, form), h("div", { class: "stack" }, this.preview, this.past)));
  }

  values() {
    const data = new FormData(this.form);
    const text = (name) => String(data.get(name) ?? "").trim();
    const tgtType = text("tgt_type");
    const tgt = tgtType === "list" ? text("tgt").split(",").map((id) => id.trim()).filter(Boolean) : text("tgt");
    return { tgt, tgtText: text("tgt"), tgtType, fun: text("fun"), ...parse(String(data.get("arg") ?? "")) };
  }

  // changed shows how the arguments are read, and discards results for other input.
  changed() {
    const v = this.values();
    const parts = [];
    if (v.arg.length) parts.push(v.arg.map((a) => JSON.stringify(a)).join(", "));
    for (const [name, value] of Object.entries(v.kwarg)) parts.push(`${name} = ${JSON.stringify(value)}`);
    this.reading.textContent = [parts.length ? `Sent as: ${parts.join(", ")}` : "", ...v.doubts].filter(Boolean).join("\n");
    const match = JSON.stringify([v.tgt, v.tgtType, v.fun]);
    if (this.match !== match) {
      this.match = match;
      this.found = null;
      if (!this.preview.hidden) fill(this.preview, h("h2", null, "Preview"), h("p", { class: "muted" }, "The form has changed: press Preview again."));
      this.warn();
    }
  }

  // warn describes the effect of a call on very many minions.
  warn() {
    const { tgtText, tgtType, fun } = this.values();
    const all = tgtText === "*" && tgtType === "glob" || tgtText === "*" && tgtType === "compound";
    const n = this.found?.count;
    if (!fun || harmless.has(fun) || !(all || n > many)) {
      if (this.warned.firstChild) fill(this.warned);
      return;
    }
    const whom = n === undefined ? "every minion of the tree" : all ? `every minion of the tree: ${count(n)}` : plural(n, "minion");
    const words = `${fun} goes to ${whom}. There is no way back once they have begun.`;
    if (this.warned.textContent !== words) fill(this.warned, alert(words));
  }

  // ready says what is missing in the form, in words for people.
  ready(v) {
    const wrong = !v.tgtText ? ["tgt", "Name the target: which minions are meant, such as web-*, or * for all."] : !v.fun ? ["fun", "Name the function, such as test.ping."] : /\s/.test(v.fun) ? ["fun", "The name of a function has no spaces; enter its arguments below."] : null;
    if (!wrong) return true;
    fill(this.said, alert(wrong[1]));
    this.form.elements[wrong[0]].focus();
    return false;
  }

  async find(v) {
    const query = new URLSearchParams({ tgt: v.tgtText, tgt_type: v.tgtType, fun: v.fun });
    const answer = await get(`preview?${query}`, { signal: this.signal });
    return answer.return[0];
  }

  // look shows which minions the call would target.
  async look() {
    const v = this.values();
    if (!this.ready(v)) return;
    fill(this.said);
    this.preview.hidden = false;
    fill(this.preview, h("h2", null, "Preview"), busy("Asking who matches …"));
    const match = this.match;
    try {
      const found = await this.find(v);
      if (match !== this.match) return;
      this.found = found;
      this.drawPreview(found);
      this.preview.scrollIntoView({ block: "nearest" });
      this.warn();
    } catch (err) {
      if (this.signal.aborted || match !== this.match) return;
      fill(this.preview, h("h2", null, "Preview"), alert(`Who matches is not known. ${err.message}`));
    }
  }

  drawPreview(found) {
    const nodes = (found.nodes || []).slice(0, shownMinions);
    const minions = (found.minions || []).slice(0, shownMinions);
    const rest = found.count - minions.length;
    fill(this.preview, h("h2", null, "Preview"),
      found.refused ? alert(`The master would not take this call: ${found.refused}`) : null,
      h("p", { class: "matches" }, h("b", null, `${plural(found.count, "minion")} ${found.count === 1 ? "matches" : "match"}`), found.down ? [" ", state("down", `${count(found.down)} down`)] : null),
      found.down ? note("Those that are down will be reported as missing.") : null,
      found.count === 0 && !found.refused ? note("No minion would be reached. Check the target and its type.") : null,
      nodes.length ? h("ul", { class: "plain preview-nodes", "aria-label": "By node" }, nodes.map((n) => h("li", null, h("span", { class: "mono" }, n.path || "this master"), " ", h("b", null, count(n.count))))) : null,
      minions.length ? h("ul", { class: "plain preview-minions", "aria-label": "Minions that match" }, minions.map((m) => h("li", null, state(m.state === "up" || m.state === "down" ? m.state : "unknown", m.state === "up" || m.state === "down" ? m.state : "not known"), minionLink(m.id, m.path), h("span", { class: "muted mono" }, m.path || "")))) : null,
      rest > 0 && minions.length ? h("p", { class: "muted" }, `and ${count(rest)} more`) : null);
  }

  // sure asks again before a call that may change very many minions.
  async sure(v) {
    if (harmless.has(v.fun)) return true;
    if (!this.found) {
      try {
        this.found = await this.find(v);
      } catch {
        if (this.signal.aborted) return false; // the master decides; the list of minions is only a help
      }
    }
    this.warn();
    const n = this.found?.count;
    if (!(n > many)) return true;
    return ask({
      title: `Run ${v.fun} on ${plural(n, "minion")}?`, action: `Run on ${count(n)}`,
      text: ["They all start at once. To start with a few, use a smaller target first."],
    }, this.signal);
  }

  async send() {
    const v = this.values();
    if (this.submit.disabled || !this.ready(v)) return;
    fill(this.said);
    this.submit.disabled = true;
    try {
      if (!await this.sure(v)) return;
      const chunk = { tgt: v.tgt, tgt_type: v.tgtType, fun: v.fun };
      if (v.arg.length) chunk.arg = v.arg;
      if (Object.keys(v.kwarg).length) chunk.kwarg = v.kwarg;
      // The same call sent again after a lost answer has the same key and starts nothing.
      const body = JSON.stringify(chunk);
      if (this.sent !== body) {
        this.sent = body;
        this.key = keyOf();
      }
      const answer = await post("minions", [chunk], { signal: this.signal, headers: { "Idempotency-Key": this.key } });
      this.sent = null;
      const jid = answer.return?.[0]?.jid;
      if (!jid) {
        fill(this.said, alert("No minion matches this target, so nothing was started. Preview shows who matches."));
        return;
      }
      this.keep(v);
      location.hash = jobLink(jid);
    } catch (err) {
      if (this.signal.aborted) return;
      fill(this.said, alert(err.status === 0 ? `${err.message} Whether the job was started is not known: press Run again, and it is not started a second time.` : `Nothing was started. ${err.message}`));
    } finally {
      this.submit.disabled = false;
    }
  }

  // keep remembers function and target in this browser, but never the arguments, which may
  // hold secrets.
  keep(v) {
    const mine = { fun: v.fun, tgt: v.tgtText, tgtType: v.tgtType };
    const rest = past().filter((c) => JSON.stringify(c) !== JSON.stringify(mine));
    remember(historyName, [mine, ...rest].slice(0, historySize));
  }

  drawHistory() {
    const list = past();
    fill(this.past, h("h2", null, "Run before"), list.length ? [
      h("ul", { class: "plain" }, list.map((c) => h("li", null, h("a", { href: `#/run?${new URLSearchParams({ tgt: c.tgt, tgt_type: c.tgtType, fun: c.fun })}`, class: "mono" }, c.fun), " ", h("span", { class: "muted mono" }, c.tgt)))),
      h("div", { class: "row" }, button("Forget these", () => {
        remember(historyName, []);
        this.drawHistory();
      })), h("p", { class: "muted" }, "Kept in this browser; arguments are not."),
    ] : h("p", { class: "muted" }, "Functions and targets that you run from this browser appear here; their arguments are not kept."));
  }
}

// past is the history in this browser, which may have any content.
function past() {
  const list = recall(historyName);
  return (Array.isArray(list) ? list : []).filter((c) => c && typeof c.fun === "string" && typeof c.tgt === "string" && typeof c.tgtType === "string").slice(0, historySize);
}
