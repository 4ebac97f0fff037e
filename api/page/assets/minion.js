// One minion: its place, its state, and its grains.

import { get, post } from "./api.js";
import { alert, busy, button, field, fill, h, note, state } from "./dom.js";
import { plural } from "./format.js";
import { kept } from "./jobs.js";
import { nested } from "./output.js";
import { encode, findMinion } from "./treedata.js";
import { brief, globSafe, jobLink, jobPath } from "./viewkit.js";

export const title = "Minion";

const lookedAt = 20; // jobs that are searched for this minion among the missing
const atOnce = 4;
const longGrain = 8; // lines

// show shows a minion.
export async function show(root, params, signal, query) {
  const id = params.join("/");
  if (!id) throw new Error("The address names no minion. Search for it in the tree.");
  document.title = `${id} · mom`;
  const page = new MinionPage(id, query.get("path"), signal);
  fill(root, page.el);
  await page.place();
  page.key();
  if (page.found?.state === "down") page.grainsLater();
  else page.grains();
}

// grain is the value of a grain; long ones open on demand.
function grain(text) {
  const list = text.split("\n");
  if (list.length <= longGrain) return h("pre", null, text || "–");
  return h("details", null, h("summary", { class: "muted" }, `${list.slice(0, 3).map((line) => line.trim().slice(0, 40)).join(" ")} … ${plural(list.length, "line")}`), h("pre", null, text));
}

class MinionPage {
  constructor(id, hint, signal) {
    this.id = id;
    this.hint = hint;
    this.signal = signal;
    this.badge = h("span");
    this.facts = h("dl", { class: "pairs" });
    this.said = h("div", { "aria-live": "polite" });
    this.ping = button("Ping", () => this.doPing(), { kind: "primary" });
    this.keyBox = h("section", { class: "card stack", "aria-label": "Key" }, h("h2", null, "Key"), busy("Asking …"));
    this.grainBox = h("section", { class: "card stack", "aria-label": "Grains" }, h("h2", null, "Grains"));
    this.missedList = h("div", { "aria-live": "polite" });
    this.look = button(`Look through the last ${lookedAt} jobs`, () => this.missed());
    this.el = h("div", { class: "stack" },
      h("div", { class: "row" }, h("h1", null, id), this.badge),
      h("section", { class: "card stack", "aria-label": "Place" }, this.facts, h("div", { class: "row" }, this.ping, h("a", { class: "btn", href: `#/run?${new URLSearchParams({ tgt: id, tgt_type: "list" })}` }, "Run on it")), this.said),
      h("div", { class: "grid minion-grid" }, this.keyBox, h("section", { class: "card stack", "aria-label": "Missed jobs" }, h("h2", null, "Jobs it missed"), this.missedList, h("div", { class: "row" }, this.look))), this.grainBox);
  }

  // place finds the minion: by the API, or else among the minions of the node in the address.
  async place() {
    let wrong = null;
    try {
      this.found = await findMinion(this.id, { signal: this.signal });
    } catch (err) {
      if (this.signal.aborted) throw err;
      wrong = err;
    }
    if (!this.found && this.hint !== null) {
      try {
        this.found = await this.at(this.hint);
        wrong = null;
      } catch (err) {
        if (this.signal.aborted) throw err;
        wrong ||= err;
      }
    }
    const m = this.found;
    if (!m) {
      fill(this.badge, state("unknown", "not in the tree"));
      fill(this.facts);
      fill(this.said, wrong ? alert(`The place of this minion is not known. ${wrong.message}`)
        : note("No node of the tree has a minion of this id. It may be new, its key may not be accepted yet, or it was deleted."));
      return;
    }
    const up = m.state === "up" || m.state === "down" ? m.state : "unknown";
    fill(this.badge, state(up, up === "unknown" ? "not known" : m.state));
    const way = [];
    m.path.forEach((node, i) => {
      if (i) way.push(" / ");
      way.push(h("a", { href: `#/tree/${encode(m.path.slice(0, i + 1).join("/"))}` }, node));
    });
    fill(this.facts, h("dt", null, "Place"), h("dd", { class: "mono" }, way.length ? way : h("a", { href: "#/tree" }, "at this master")),
      h("dt", null, "State"), h("dd", null, { up: "connected", down: "not connected", unknown: "its node does not know, or cannot be asked" }[up]),
      h("dt", null, "Version"), h("dd", { class: "mono" }, m.version || "not known"));
  }

  // at searches the minions of one node.
  async at(path) {
    const { tree } = await get(path ? `tree/${encode(path)}?depth=1` : "tree?depth=1", { signal: this.signal });
    const m = (tree.minions || []).find((one) => one.id === this.id);
    return m ? { ...m, path: path ? path.split("/") : [] } : null;
  }

  // doPing runs test.ping on the minion and shows how long the answer took.
  async doPing() {
    this.ping.disabled = true;
    fill(this.said, busy("Waiting for its answer …"));
    const begun = performance.now();
    try {
      const answer = await post(".", [{ client: "local", tgt: [this.id], tgt_type: "list", fun: "test.ping" }], { signal: this.signal });
      const ms = performance.now() - begun;
      const said = answer.return?.[0]?.[this.id];
      const gone = (answer.missing || []).find((m) => m.id === this.id);
      if (answer.errors?.length) fill(this.said, alert(String(answer.errors[0].message)));
      else if (said === true) fill(this.said, h("p", { role: "status" }, state("up", "It answered"), ` after ${ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`}.`));
      else if (said !== undefined) fill(this.said, alert(`It answered with ${brief(said)}.`));
      else fill(this.said, alert(gone ? `It did not answer: ${gone.reason}${gone.path ? `, behind ${gone.path}` : ""}.` : "No minion of this id matched."));
    } catch (err) {
      if (!this.signal.aborted) fill(this.said, alert(err.message));
    }
    this.ping.disabled = false;
  }

  async key() {
    const head = h("h2", null, "Key");
    try {
      const { return: all } = await get(`keys/${encodeURIComponent(globSafe(this.id))}`, { signal: this.signal });
      const names = { minions: "accepted", minions_pre: "pending", minions_rejected: "rejected", minions_denied: "denied" };
      const here = Object.entries(names).filter(([folder]) => all?.[folder]?.[this.id]);
      const node = this.found?.path.at(-1);
      fill(this.keyBox, head, here.length ? [
        here.map(([folder, words]) => [h("p", null, state(words === "accepted" ? "ok" : words === "pending" ? "wait" : "fail", words)), h("p", { class: "mono" }, all[folder][this.id])]),
        h("div", null, h("a", { class: "btn", href: "#/keys" }, "Keys")),
      ] : h("p", { class: "muted" }, node ? `This master has no key of it: ${node} keeps the keys of its own minions.` : "This master has no key of it."));
    } catch (err) {
      if (!this.signal.aborted) fill(this.keyBox, head, alert(`Its key is not available. ${err.message}`));
    }
  }

  grainsLater() {
    fill(this.grainBox, h("h2", null, "Grains"), h("p", { class: "muted" }, "It is not connected, so it is not asked."), h("div", null, button("Ask all the same", () => this.grains())));
  }

  // grains asks the minion by a job.
  async grains() {
    const head = h("h2", null, "Grains");
    const again = (text) => [head, alert(text), h("div", null, button("Ask again", () => this.grains()))];
    fill(this.grainBox, head, busy("Asking the minion …"));
    try {
      const answer = await get(`minions/${encodeURIComponent(globSafe(this.id))}`, { signal: this.signal });
      const grains = answer.return?.[0]?.[this.id];
      const gone = (answer.missing || []).find((m) => m.id === this.id);
      if (grains && typeof grains === "object") this.drawGrains(head, grains);
      else fill(this.grainBox, ...again(gone ? `It did not answer: ${gone.reason}${gone.path ? `, behind ${gone.path}` : ""}.` : grains === undefined ? "No minion of this id answered." : `It answered with ${brief(grains)}.`));
    } catch (err) {
      if (!this.signal.aborted) fill(this.grainBox, ...again(`Its grains are not known. ${err.message}`));
    }
  }

  drawGrains(head, grains) {
    const filter = field({ label: "Filter grains", name: "grains", type: "search", placeholder: "part of a name or a value" });
    const list = h("dl", { class: "pairs grains" });
    const rows = Object.keys(grains).sort().map((name) => ({ name, text: nested(grains[name]) }));
    const draw = (part) => fill(list, rows.filter((r) => !part || `${r.name} ${r.text}`.toLowerCase().includes(part)).map((r) => [h("dt", { class: "mono" }, r.name), h("dd", null, grain(r.text))]));
    filter.querySelector("input").addEventListener("input", (e) => draw(e.target.value.trim().toLowerCase()));
    draw("");
    fill(this.grainBox, head, filter, list);
  }

  // missed searches the accounts of the last jobs for this minion. An account names a hundred
  // of the missing minions.
  async missed() {
    this.look.disabled = true;
    fill(this.missedList, busy("Asking …"));
    try {
      const all = kept(await get("jobs", { signal: this.signal }));
      const jids = Object.keys(all).sort().reverse().slice(0, lookedAt);
      const found = [];
      let unsure = 0;
      for (let i = 0; i < jids.length; i += atOnce) {
        await Promise.all(jids.slice(i, i + atOnce).map(async (jid) => {
          let s;
          try {
            ({ return: [s] } = await get(`${jobPath(jid)}/status`, { signal: this.signal }));
          } catch (err) {
            if (this.signal.aborted) throw err;
            unsure++;
            return;
          }
          const m = (s.missing || []).find((one) => one.id === this.id);
          if (m) found.push({ jid, fun: s.fun, reason: m.reason });
          else if (s.missing_count > (s.missing || []).length) unsure++;
        }));
      }
      found.sort((a, b) => (a.jid < b.jid ? 1 : -1));
      fill(this.missedList,
        found.length ? h("ul", { class: "plain" }, found.map((j) => h("li", null, h("a", { href: jobLink(j.jid) }, j.fun || j.jid), " ", h("span", { class: "muted mono" }, j.jid), h("div", { class: "muted" }, j.reason || "")))) : h("p", null, "It is missing in none of them."),
        unsure ? h("p", { class: "muted" }, `Of ${plural(unsure, "job")} it is not known: the account is no longer kept, or does not name all missing minions.`) : null);
    } catch (err) {
      if (!this.signal.aborted) fill(this.missedList, alert(err.message));
    }
    this.look.disabled = false;
  }
}
