// The panels beside the picture: the overall state, the problems, the running jobs, and the open
// node.

import { alert, busy, field, fill, h, state, virtualList } from "./dom.js";
import { age, bytes, count, plural, seconds, when } from "./format.js";
import { fetchMinions, stateWords, words } from "./treedata.js";
import { jobBar } from "./jobbar.js";

// verdict is one sentence about the state of the tree, and the four figures behind it.
export function verdict(model, watch) {
  const { top } = model;
  const nodesDown = top.all.nodes - top.all.nodesUp;
  const behind = [...model.nodes.values()].filter((n) => n.health === "lag").length;
  const open = [...watch.jobs.values()].filter((j) => !j.over).length;
  const wrong = [];
  if (nodesDown) wrong.push(`${plural(nodesDown, "node")} not up`);
  if (top.all.down) wrong.push(`${plural(top.all.down, "minion")} down`);
  if (nodesDown && top.all.unknown) wrong.push(`${plural(top.all.unknown, "minion")} not known`);
  if (behind) wrong.push(`${plural(behind, "node")} behind`);
  const owed = [...model.nodes.values()].reduce((sum, n) => sum + (n.vitals?.owed || 0), 0);
  const kind = nodesDown || top.all.down ? "down" : behind || model.problems.length ? "lag" : "up";
  const said = wrong.length ? wrong.join(", ") : model.problems.length ? plural(model.problems.length, "thing") + " to look at" : "All is well";
  const figure = (name, value) => h("div", { class: "figure" }, h("b", null, value), h("span", { class: "muted" }, name));
  return [
    h("h1", { class: "verdict", "aria-live": "polite" }, state(kind, said)),
    figure("nodes up", `${count(top.all.nodesUp + (top.health === "down" ? 0 : 1))} of ${count(top.all.nodes + 1)}`),
    figure("minions up", `${count(top.all.up)} of ${count(top.all.minions)}`),
    figure("jobs at work", count(Math.max(open, top.vitals?.jobs || 0))),
    figure("returns on their way up", count(owed)),
  ];
}

// problems lists the problems, each with a link to its node.
export function problems(model, open) {
  const { problems: list } = model;
  if (!list.length) return [h("h2", null, "Problems"), h("p", { class: "muted" }, "None.")];
  const rows = list.slice(0, 50).map((p) => h("li", null,
    h("a", { href: `#/tree/${p.path.split("/").map(encodeURIComponent).join("/")}`, on: { click: (e) => { if (nodeOf(model, p.path) !== null) { e.preventDefault(); open(nodeOf(model, p.path)); } } } }, p.path || model.top.id),
    " ", state(p.kind === "down" || p.kind === "minions-down" ? "down" : "lag", p.kind), h("div", { class: "muted" }, p.detail, p.since ? ` · for ${age(p.since)}` : "")));
  return [h("h2", null, `Problems (${count(list.length)})`), h("ul", { class: "plain" }, rows), list.length > 50 ? h("p", { class: "muted" }, `and ${count(list.length - 50)} more`) : null];
}

// nodeOf finds the node of the path of a problem, which may begin with the id of the top and end
// with a minion.
function nodeOf(model, path) {
  let rest = path === model.top.id ? "" : path.startsWith(`${model.top.id}/`) ? path.slice(model.top.id.length + 1) : path;
  for (;;) {
    if (model.nodes.has(rest)) return rest;
    if (!rest.includes("/")) return rest === "" ? null : "";
    rest = rest.slice(0, rest.lastIndexOf("/"));
  }
}

// jobs lists the running jobs and those that have just ended.
export function jobs(watch) {
  const list = [...watch.jobs.values()].reverse();
  if (!list.length) return [h("h2", null, "Jobs at work"), h("p", { class: "muted" }, "None.")];
  const rows = list.slice(0, 8).map(({ jid, fun, status, over }) => {
    const bar = status ? jobBar(fun || jid) : null;
    bar?.tell(status);
    return h("li", null, h("a", { href: `#/job/${jid}` }, fun || jid), " ", state(over ? (status.failed ? "fail" : status.missing_count ? "gone" : "ok") : "run", over ? "ended" : "running"), bar?.el,
      status ? h("div", { class: "muted" }, `${count(status.returned + status.failed)} of ${count(status.expected)} returned`, status.failed ? `, ${count(status.failed)} failed` : "", status.missing_count ? `, ${count(status.missing_count)} missing` : "", waits(status)) : null);
  });
  return [h("h2", null, "Jobs at work"), h("ul", { class: "plain" }, rows), list.length > 8 ? h("p", { class: "muted" }, `and ${count(list.length - 8)} more`) : null];
}

function waits(status) {
  const [first] = status.waiting || [];
  if (!first) return "";
  return `; waits for ${[first.path, first.id].filter(Boolean).join("/")}${status.waiting_count > 1 ? ` and ${count(status.waiting_count - 1)} more` : ""}`;
}

// Details is the panel of one node. It requests the minions when it opens.
export class Details {
  constructor(signal) {
    this.signal = signal;
    this.head = h("div", { class: "stack" });
    this.list = h("div", { class: "stack" });
    this.el = h("section", { class: "card stack", role: "region", "aria-label": "Details" }, this.head, this.list);
  }

  // tell updates the figures of a node; the list of its minions stays.
  tell(node) {
    const v = node.vitals;
    const rows = [
      ["Path", node.path || "the top"], ["Version", node.version || "–"], ["Since", node.since ? `${when(node.since)} (${age(node.since)})` : "–"],
      ["Its minions", node.own.minions ? ["up", "down", "unknown"].filter((k) => node.own[k]).map((k) => `${count(node.own[k])} ${words[k]}`).join(", ") : "none"],
    ];
    if (node.all.nodes) rows.push(["With all below", `${plural(node.all.nodes, "node")}, ${count(node.all.up)} of ${plural(node.all.minions, "minion")} up`]);
    if (v) {
      rows.push(["Keys, connected", `${count(v.accepted)}, ${count(v.connected)}`], ["Jobs at work", count(v.jobs)],
        ["Pending rows", v.owed ? `${count(v.owed)}, the oldest ${seconds(v.owed_age)}` : "nothing"], ["Answers within", seconds(v.lag)],
        ["Clock", Math.abs(v.skew) < 1 ? "as that of the top" : `${seconds(Math.abs(v.skew))} ${v.skew > 0 ? "ahead" : "behind"}`], ["Load, memory", `${(v.load || 0).toFixed(2)}, ${bytes(v.memory || 0)}`]);
      if (v.addr) rows.push(["Address", v.addr]);
    }
    const run = node.path ? `#/run?tgt=${encodeURIComponent(`B@${node.id}`)}&tgt_type=compound` : "#/run?tgt=*";
    const shown = JSON.stringify([node.id, node.health, rows]);
    if (shown === this.shown) return;
    this.shown = shown;
    fill(this.head, h("div", { class: "row" }, h("h2", null, node.id), state(node.shown, stateWords(node))),
      h("dl", { class: "pairs" }, rows.map(([name, text]) => [h("dt", null, name), h("dd", null, text)])),
      h("div", { class: "row" }, h("a", { class: "btn", href: run }, node.path ? "Run on what is below" : "Run on all")));
  }

  // open shows another node with its minions.
  async open(node) {
    this.path = node.path;
    this.tell(node);
    if (!node.own.minions) {
      fill(this.list, h("p", { class: "muted" }, "It has no minions of its own."));
      return;
    }
    fill(this.list, busy("Asking for its minions …"));
    let minions;
    try {
      minions = await fetchMinions(node, this.signal);
    } catch (err) {
      if (!this.signal.aborted && this.path === node.path) fill(this.list, alert(err.message));
      return;
    }
    if (this.path !== node.path) return; // another node was opened meanwhile
    const rank = { down: 0, unknown: 1, up: 2 };
    minions.sort((a, b) => rank[a.state] - rank[b.state] || (a.id < b.id ? -1 : 1));
    const filter = field({ label: `Minions of ${node.id}`, name: "minions", type: "search", placeholder: "filter by id or state" });
    const list = virtualList({
      rows: minions, height: 340, label: `Minions of ${node.id}`, empty: "None matches.",
      render: (m) => [state(m.state === "up" || m.state === "down" ? m.state : "unknown", words[m.state] || words.unknown),
        h("a", { href: `#/minion/${encodeURIComponent(m.id)}?path=${encodeURIComponent(node.path)}` }, m.id), h("span", { class: "muted" }, m.version || "")],
    });
    filter.querySelector("input").addEventListener("input", (e) => {
      const text = e.target.value.trim().toLowerCase();
      list.scrollTop = 0;
      list.update(text ? minions.filter((m) => m.state === text || m.id.toLowerCase().includes(text)) : minions);
    });
    fill(this.list, filter, list);
  }
}
