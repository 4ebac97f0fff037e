// The returns of a job: a list of minions, and the values of those chosen.

import { get } from "./api.js";
import { alert, busy, button, field, fill, h, setText, state } from "./dom.js";
import { count, plural } from "./format.js";
import { highstate, isStates, json, text } from "./output.js";
import { Returns } from "./returns.js";
import { batch, jobPath, longList, relist, tabs } from "./viewkit.js";

const together = 20; // returns shown together while none is chosen

const names = ["Text", "JSON", "Highstate"];

// ReturnsView is the list and the pane beside it.
export class ReturnsView {
  constructor(jid, signal) {
    this.jid = jid;
    this.signal = signal;
    this.store = new Returns();
    this.chosen = null;
    this.fetched = null; // the value that was fetched
    this.tab = "Text";
    this.soon = batch(() => this.draw(), signal);
    this.title = h("h2", null, "Returns");
    this.filter = field({ label: "Minions", name: "returns", type: "search", placeholder: "part of an id" });
    this.filter.querySelector("input").addEventListener("input", () => this.refilter());
    this.only = h("input", { type: "checkbox", on: { change: () => this.refilter() } });
    this.list = longList({
      rows: [], rowHeight: 32, height: 320, label: "Returns", empty: "None yet.",
      render: (row) => h("button", {
        type: "button", class: "cells return-row", "aria-pressed": String(this.chosen === row.id), data: { minion: row.id, key: row.id }, on: { click: () => this.choose(row.id) },
      }, state(row.failed ? "fail" : "ok", row.failed ? `failed${row.retcode ? `, ${row.retcode}` : ""}` : "ok"), h("span", { class: "mono" }, row.id), h("span", { class: "muted line" }, row.line)),
    });
    this.over = h("p", { class: "muted" });
    this.tabs = tabs({ label: "How returns are shown", names, chosen: this.tab, onchoose: (name) => { this.tab = name; this.write(); } });
    this.all = button("Show the first ones", () => this.choose(null));
    this.pane = h("div", { class: "stack pane" });
    this.tabs.panel.append(this.pane);
    this.el = h("section", { class: "card stack", "aria-label": "Returns" },
      h("div", { class: "row" }, this.title, this.filter, h("label", { class: "check" }, this.only, "Failed only")), this.list, this.over, h("div", { class: "row" }, this.tabs.el, this.all), this.tabs.panel);
    this.draw();
  }

  // prefer sets how returns are shown first, by the function of the job.
  prefer(fun) {
    if (this.preferred || !fun) return;
    this.preferred = true;
    if (/^state\.(apply|highstate|sls|sls_id|single|top|low|high|template)/.test(String(fun))) {
      this.tab = "Highstate";
      this.tabs.choose("Highstate", true);
      this.write();
    }
  }

  // add adds a return and draws soon.
  add(id, said) {
    if (this.store.add(id, said)) this.soon();
  }

  refilter() {
    this.list.scrollTop = 0;
    this.draw();
  }

  draw() {
    const rows = this.store.pick(this.filter.querySelector("input").value, this.only.checked);
    const all = this.store.rows.length + this.store.over;
    setText(this.title, rows.length === this.store.rows.length ? `Returns (${count(all)})` : `Returns (${count(rows.length)} of ${count(all)})`);
    relist(this.list, rows);
    setText(this.over, this.store.over ? `${plural(this.store.over, "return")} more than this page lists. Download the job to have all of them.` : "");
    this.shown = rows;
    if (this.chosen === null) this.write();
  }

  // choose shows one return, or with null the first ones again.
  async choose(id) {
    this.chosen = id;
    this.fetched = null;
    this.search?.abort();
    relist(this.list, this.shown);
    this.write();
    const row = id === null ? null : this.store.byId.get(id);
    if (!row || row.held) return;
    this.search = new AbortController();
    const fetched = await fetchReturn(this.jid, id, AbortSignal.any([this.signal, this.search.signal]));
    if (this.chosen !== id || this.signal.aborted) return;
    this.fetched = fetched;
    this.write();
  }

  // write fills the pane if its contents have changed.
  write() {
    const rows = this.chosen === null ? (this.shown || []).slice(0, together) : [this.store.byId.get(this.chosen)];
    const key = JSON.stringify([this.tab, this.chosen, this.chosen === null && this.shown?.length > together, Boolean(this.fetched), rows.map((row) => [row.id, row.held])]);
    this.all.hidden = this.chosen === null;
    if (key === this.written) return;
    this.written = key;
    if (!rows.length) {
      fill(this.pane, h("p", { class: "muted" }, this.store.rows.length ? "No return matches the filter." : "No minion has returned yet."));
      return;
    }
    const rest = this.chosen === null ? this.shown.length - rows.length : 0;
    fill(this.pane, rows.map((row) => this.block(row)), rest ? h("p", { class: "muted" }, `Others are in the list above: choose one to see what it returned.`) : null);
  }

  block(row) {
    const whole = h("a", { href: jobPath(this.jid), download: `job-${this.jid}.json` }, "Download the job");
    const unshown = (words) => h("section", { class: "stack" }, h("h3", { class: "mono" }, row.id), h("p", { class: "note" }, words, " ", whole, " to have it."));
    let { value } = row;
    if (!row.held) {
      if (!this.fetched) return this.chosen === null ? unshown("This return is not loaded: choose it in the list.") : busy(`Asking for the return of ${row.id} …`);
      if (this.fetched.lost) return h("section", null, alert(`The return of ${row.id} is not available. ${this.fetched.lost}`), whole);
      ({ value } = this.fetched);
    }
    if (this.tab === "Highstate" && (this.chosen !== null || isStates(value) || Array.isArray(value))) return highstate(value, row.id);
    return h("pre", { class: "output", tabindex: 0, role: "group", "aria-label": `Return of ${row.id}` }, this.tab === "JSON" ? `${row.id}:\n${json(value)}` : text(value, row.id));
  }
}

// fetchReturn returns the return of one minion as {value}, or {lost} with the reason why it is
// missing.
async function fetchReturn(jid, id, signal) {
  try {
    const { return: [found] } = await get(`${jobPath(jid)}/returns/${encodeURIComponent(id)}`, { signal });
    return { value: found.return };
  } catch (err) {
    return { lost: err.message };
  }
}
