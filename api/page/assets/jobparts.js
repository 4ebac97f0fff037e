// The parts of the page of one job that show its account: how many minions have returned, which
// are missing and why, and the state of each node on the way.

import { fill, h, setText, state, table } from "./dom.js";
import { count, plural, seconds, when } from "./format.js";
import { jobBar } from "./jobbar.js";
import { verdict } from "./jobs.js";
import { keepFocus, longList, minionLink, relist } from "./viewkit.js";

// The reasons of missing minions, from the master's ledger, with what they mean and what to do.
const reasons = {
  "No response": "no answer came; look whether the minion process runs",
  "Not connected": "switched off, or cut off from the master",
  "Not running the job": "restarted meanwhile, or the job did not get there; run it again",
  "Node not connected": "the node in between is down: look at that node first",
  "Node did not answer": "the node in between is slow or overloaded: look at that node first",
  "Node refused the job": "the node in between does not take the job; its log says why",
  "No such minion": "no node of the tree knows this id; look for a typing error in the target",
};

const figures = [["expected", "expected"], ["returned", "returned"], ["failed", "failed"], ["missing", "missing"], ["waiting", "waited for"]];
const mostNodes = 200; // rows of the table of nodes
const mostGroups = 8; // groups of missing minions

// Account shows the figures of GET jobs/JID/status.
export class Account {
  constructor() {
    this.badge = h("span");
    this.bar = jobBar("Answered");
    this.numbers = {};
    const list = figures.map(([name, words]) => {
      this.numbers[name] = h("b", { data: { count: name } }, "–");
      return h("div", { class: `figure figure-${name}` }, this.numbers[name], h("span", { class: "muted" }, words));
    });
    this.waits = h("p", { class: "waits muted" });
    this.nodes = h("div");
    this.el = h("section", { class: "card stack", role: "region", "aria-label": "Account", data: { complete: "false" } },
      h("div", { class: "row" }, h("h2", null, "Account"), this.badge), this.bar.el, h("div", { class: "row figures" }, list), this.waits, this.nodes);
  }

  // tell shows an account.
  tell(s) {
    this.el.dataset.complete = String(Boolean(s.complete));
    const numbers = { expected: s.expected, returned: s.returned, failed: s.failed, missing: s.missing_count, waiting: s.waiting_count };
    for (const [name] of figures) {
      setText(this.numbers[name], count(numbers[name]));
      this.numbers[name].parentNode.classList.toggle("some", numbers[name] > 0);
    }
    this.bar.tell(s);
    const [kind, words] = verdict(s);
    if (this.badge.textContent.slice(-words.length) !== words) fill(this.badge, state(kind, words));
    setText(this.waits, waitWords(s));
    this.tellNodes(s.nodes || [], ownStep(s));
  }

  // tellNodes writes the table of nodes if it has changed.
  tellNodes(nodes, own) {
    const shown = JSON.stringify([nodes, own]);
    if (shown === this.shown) return;
    this.shown = shown;
    let steps = flat(nodes);
    const all = steps.length;
    if (all > mostNodes) steps = steps.filter(({ step }) => step.state !== "closed" || step.failed || step.missing_count || owes(step));
    const left = all - Math.min(steps.length, mostNodes);
    const wrap = this.nodes.querySelector(".tablewrap");
    const at = wrap ? [wrap.scrollLeft, wrap.scrollTop] : [0, 0];
    const columns = ["Node", "State", "Expected", "Returned", "Failed", "Missing", "Waited for", "Pending", "Received", "Closed after"];
    keepFocus(this.nodes, () => fill(this.nodes, all ? [table({
      caption: "Nodes of the job, each with everything below it",
      columns: columns.map((name, i) => ({ name, align: i > 1 && i < 8 ? "right" : null })),
      rows: [...(own ? [ownRow(own)] : []), ...steps.slice(0, mostNodes).map(nodeRow)],
    }), left ? h("p", { class: "muted" }, `${plural(left, "node")} more, whose part is done or that do not fit here.`) : null] : null));
    const next = this.nodes.querySelector(".tablewrap");
    if (next) [next.scrollLeft, next.scrollTop] = at;
  }
}

// waitWords says which minions a job waits for, and where.
function waitWords(s) {
  const list = s.waiting || [];
  if (s.complete || !s.waiting_count || !list.length) return s.complete ? "" : "It waits until the nodes report which minions have to answer.";
  const names = list.slice(0, 3).map((n) => [n.path, n.id].filter(Boolean).join("/"));
  return `It waits for ${names.join(", ")}${s.waiting_count > names.length ? ` and ${count(s.waiting_count - names.length)} more` : ""}.`;
}

function flat(nodes, above = "", depth = 0, out = []) {
  for (const step of nodes) {
    const path = above ? `${above}/${step.node}` : step.node;
    out.push({ step, path, depth });
    flat(step.nodes || [], path, depth + 1, out);
  }
  return out;
}

function owes(step) {
  return Object.values(step.owed || {}).reduce((sum, n) => sum + n, 0);
}

// ownStep is the part of a job that this master's own minions have: the account minus the nodes
// right below. It is null until all of these have reported.
function ownStep(s) {
  const nodes = s.nodes || [];
  if (!nodes.every((step) => step.state === "open" || step.state === "closed")) return null;
  const rest = (name) => (s[name] || 0) - nodes.reduce((sum, step) => sum + (step[name] || 0), 0);
  const own = { complete: Boolean(s.complete) };
  for (const name of ["expected", "returned", "failed", "missing_count", "waiting_count"]) own[name] = rest(name);
  return own.expected > 0 && Object.values(own).every((n) => n >= 0) ? own : null; // of two moments
}

function ownRow(own) {
  return [h("span", { data: { key: "" } }, "this master's own minions"), state(own.complete || !own.waiting_count ? "ok" : "run", own.complete || !own.waiting_count ? "done" : "at work"),
    count(own.expected), count(own.returned), count(own.failed), count(own.missing_count), count(own.waiting_count), "", "–", "–"];
}

const stepKinds = { open: "run", closed: "ok", unknown: "unknown", unreachable: "down" };
const stepWords = { open: "at work", closed: "done", unknown: "not known there", unreachable: "cannot be asked" };

function nodeRow({ step, path, depth }) {
  const name = h("a", { href: `#/tree/${path.split("/").map(encodeURIComponent).join("/")}`, data: { key: path } }, step.node);
  name.style.marginInlineStart = `${Math.min(depth, 8) * 0.9}rem`;
  const told = step.state === "open" || step.state === "closed";
  const n = (value) => (told ? count(value) : "–");
  const took = step.received && step.closed ? seconds((Date.parse(step.closed) - Date.parse(step.received)) / 1000) : "–";
  return [name, [state(stepKinds[step.state] || "unknown", stepWords[step.state] || step.state), step.error ? h("div", { class: "muted" }, step.error) : null],
    n(step.expected), n(step.returned), n(step.failed), n(step.missing_count), n(step.waiting_count), count(owes(step)), h("span", { class: "nowrap" }, step.received ? when(step.received) : "–"), took];
}

// Missing lists the missing minions, with reason and place.
export class Missing {
  constructor() {
    this.rows = [];
    this.ids = new Set();
    this.all = 0;
    this.title = h("h2", null, "Missing (0)");
    this.groups = h("ul", { class: "plain groups" });
    this.more = h("p", { class: "muted" });
    this.list = longList({
      rows: [], rowHeight: 52, height: 364, label: "Missing",
      render: (m) => h("div", { class: "cells missing-row", data: { minion: m.id } }, minionLink(m.id, m.path, { data: { key: m.id } }),
        h("span", { class: "muted" }, m.reason || "no reason is known", ", ", m.path ? ["behind ", h("span", { class: "mono" }, m.path)] : "at this master")),
    });
    this.el = h("section", { class: "card stack", "aria-label": "Who is missing" }, this.title, this.groups, this.list, this.more);
    this.draw();
  }

  // add adds a list of {id, reason, path}; true if a minion is new.
  add(list) {
    this.compact();
    const before = this.rows.length;
    for (const m of list) {
      if (this.ids.has(m.id)) continue;
      this.ids.add(m.id);
      this.rows.push({ id: m.id, reason: m.reason || "", path: m.path || "" });
    }
    return this.rows.length > before;
  }

  // addMap adds missing minions of a stream: {id: {reason, path}}.
  addMap(map) {
    return this.add(Object.entries(map || {}).map(([id, m]) => ({ id, reason: m?.reason, path: m?.path })));
  }

  // remove removes a minion that has returned after all.
  remove(id) {
    if (!this.ids.delete(id)) return;
    this.left = true; // the row is removed at the next drawing: a whole branch may come back at once
  }

  compact() {
    if (this.left) this.rows = this.rows.filter((m) => this.ids.has(m.id));
    this.left = false;
  }

  draw() {
    this.compact();
    const all = Math.max(this.all, this.rows.length);
    this.list.hidden = !this.rows.length;
    setText(this.title, `Missing (${count(all)})`);
    relist(this.list, this.rows);
    setText(this.more, all > this.rows.length ? `${plural(all - this.rows.length, "minion")} more, whom the account counts and does not name.` : "");
    const by = new Map();
    for (const { reason, path } of this.rows) {
      const key = JSON.stringify([reason, path]);
      by.set(key, (by.get(key) || 0) + 1);
    }
    if (!all) {
      fill(this.groups, h("li", { class: "muted" }, "Nobody is missing."));
      return;
    }
    const groups = [...by].sort((a, b) => b[1] - a[1]);
    fill(this.groups, groups.slice(0, mostGroups).map(([key, n]) => {
      const [reason, path] = JSON.parse(key);
      return h("li", null, h("b", null, count(n)), ` ${reason || "no reason is known"}`, path ? [" behind ", h("span", { class: "mono" }, path)] : "", reasons[reason] ? h("span", { class: "muted" }, ` – ${reasons[reason]}`) : null);
    }), groups.length > mostGroups ? h("li", { class: "muted" }, `and ${plural(groups.length - mostGroups, "other reason or place", "other reasons and places")}`) : null);
  }
}
