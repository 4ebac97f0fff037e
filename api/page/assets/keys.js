// The keys of the master that serves the API, by state, and the numbers of keys at the nodes
// below.

import { get, run } from "./api.js";
import { alert, button, field, fill, h, note, setText, table } from "./dom.js";
import { count, plural } from "./format.js";
import { ask, batch, follow, globSafe, keepFocus, longList, minionLink, relist } from "./viewkit.js";

export const title = "Keys";

// What can be done with the keys of a state. The wheel functions search only the pending keys
// unless a flag names other states.
const folders = [
  { name: "Pending", folder: "minions_pre", does: ["Accept", "Reject", "Delete"], empty: "No key waits to be accepted.", tells: "Compare the fingerprint with what salt-call --local key.finger prints on the machine before you accept a key." },
  { name: "Accepted", folder: "minions", does: ["Reject", "Delete"], flag: "include_accepted", empty: "No key is accepted." },
  { name: "Rejected", folder: "minions_rejected", does: ["Accept", "Delete"], flag: "include_rejected", empty: "No key is rejected." },
  { name: "Denied", folder: "minions_denied", does: ["Accept", "Reject", "Delete"], flag: "include_denied", empty: "No key is denied.", tells: "A denied key came under an id that has another key already: a machine that was reinstalled, or an impostor." },
];

const wheels = { Accept: "key.accept", Reject: "key.reject", Delete: "key.delete" };
const done = { Accept: "accepted", Reject: "rejected", Delete: "deleted" };
const atOnce = 200; // keys in one call: each is a pattern that is matched with all ids
const narrow = window.matchMedia("(max-width: 560px)");

// show lists the keys until the view is left.
export async function show(root, params, signal) {
  const page = new KeyPage(signal);
  fill(root, page.el);
  await page.load();
  page.watch();
  page.below();
}

class KeyPage {
  constructor(signal) {
    this.signal = signal;
    this.filter = field({ label: "Filter", name: "filter", type: "search", placeholder: "part of an id" });
    this.input = this.filter.querySelector("input");
    this.input.addEventListener("input", () => this.draw());
    this.said = h("div", { class: "stack" });
    this.parts = folders.map((f) => new Folder(f, this));
    this.nodes = h("section", { class: "card stack", "aria-label": "Keys of the nodes below" });
    this.el = h("div", { class: "stack" }, h("div", { class: "row" }, h("h1", null, title), this.filter), this.said, this.parts.map((p) => p.el), this.nodes);
    this.reload = batch(() => this.load().catch((err) => {
      if (!signal.aborted) fill(this.said, alert(`What is shown may be old. ${err.message}`));
    }), signal, 3000);
  }

  async load() {
    const { return: all } = await get("keys", { signal: this.signal });
    for (const part of this.parts) part.set(all[part.folder] || []);
    this.draw();
  }

  draw() {
    for (const part of this.parts) part.draw(this.input.value.trim().toLowerCase());
  }

  // watch follows events about keys.
  watch() {
    follow("events?tag=salt/key&tag=salt/auth", {
      onevent: (tag, data) => {
        const pending = this.parts[0].ids;
        if (tag.startsWith("salt/auth") && (data.act !== "pend" && data.act !== "denied" || pending.includes(data.id))) return; // a minion that reconnects changes nothing
        this.reload();
      },
      onstate: (is) => {
        if (is === "open" && this.lost) this.reload();
        this.lost = is !== "open";
      },
    }, this.signal);
  }

  // below lists the keys at nodes below, which only those nodes change.
  async below() {
    try {
      const { tree } = await get("tree?minions=no", { signal: this.signal });
      const rows = [];
      const walk = (node, path) => {
        for (const child of node.nodes || []) {
          const at = path ? `${path}/${child.id}` : child.id;
          rows.push([h("a", { href: `#/tree/${at.split("/").map(encodeURIComponent).join("/")}` }, at), child.vitals ? count(child.vitals.accepted) : "not known"]);
          walk(child, at);
        }
      };
      walk(tree, "");
      fill(this.nodes, h("h2", null, "Keys of the nodes below"),
        note("Each node keeps the keys of its own minions. They are accepted, rejected and deleted there, with salt-key on that node or with the page of its own API."),
        table({ caption: "Keys of the nodes below", columns: [{ name: "Node" }, { name: "Accepted", align: "right" }], rows, empty: "There are no nodes below this master." }));
    } catch (err) {
      if (!this.signal.aborted) fill(this.nodes, h("h2", null, "Keys of the nodes below"), alert(`The tree is not known. ${err.message}`));
    }
  }

  // change calls a wheel function for keys of a state.
  async change(what, part, ids) {
    if (!ids.length) return;
    const odd = ids.find((id) => id.includes(","));
    if (odd) {
      fill(this.said, alert(`The id ${odd} contains a comma, so the master would read it as two ids. Use salt-key on the master.`));
      return;
    }
    if (what === "Delete" && !await this.sure(part, ids)) return;
    if (what === "Reject" && part.name === "Accepted" && !await ask({ title: `Reject ${named(ids)}?`, action: "Reject", text: "Accepted minions whose keys are rejected are cut off." }, this.signal)) return;
    let n = 0;
    const not = []; // keys that the master did not report as changed
    try {
      for (; n < ids.length; n += atOnce) {
        const some = ids.slice(n, n + atOnce);
        const chunk = { client: "wheel", fun: wheels[what], match: some.map(globSafe) };
        if (part.flag && what !== "Delete") chunk[part.flag] = true;
        const { data } = await run(chunk, { signal: this.signal });
        if (!data?.success) throw new Error(String(data?.return ?? "The master does not say why.").slice(0, 500));
        const changed = new Set(data.return?.minions || some);
        not.push(...some.filter((id) => !changed.has(id)));
        for (const id of some) part.chosen.delete(id);
      }
      fill(this.said, not.length ? alert(`${named(not)}: not ${done[what]}, though the master told of no error. Somebody else may have changed ${not.length === 1 ? "it" : "them"} meanwhile.`)
        : h("p", { role: "status", class: "note" }, `${named(ids)}: ${done[what]}.`));
    } catch (err) {
      if (this.signal.aborted) return;
      const before = n ? ` ${plural(n, "key was", "keys were")} ${done[what]} before that.` : "";
      const hint = [401, 403].includes(err.status) ? ` Your user needs the right to the wheel function ${wheels[what]}: external_auth of the master gives it.` : "";
      fill(this.said, alert(`Not ${done[what]}: ${err.message}${before}${hint}`));
    }
    await this.load().catch(() => this.reload());
  }

  sure(part, ids) {
    const others = part.name === "Denied" ? ids.filter((id) => this.parts.some((p) => p !== part && p.ids.includes(id))) : [];
    const text = ["A minion whose key is deleted is cut off. If it is still there, it comes back as a pending key."];
    if (others.length) text.push(`${named(others)} ${others.length === 1 ? "has" : "have"} another key as well, accepted, pending or rejected: deleting takes all keys of an id.`);
    return ask({ title: `Delete ${named(ids)}?`, action: "Delete", text }, this.signal);
  }

  async finger(id, part) {
    let text;
    try {
      const { return: all } = await get(`keys/${encodeURIComponent(globSafe(id))}`, { signal: this.signal });
      text = all?.[part.folder]?.[id];
    } catch (err) {
      if (!this.signal.aborted) fill(this.said, alert(`The fingerprint of ${id} is not available. ${err.message}`));
      return;
    }
    await ask({ title: `Fingerprint of ${id}`, text: [h("p", { class: "mono" }, text || "This key no longer exists."), "On the machine itself: salt-call --local key.finger"] }, this.signal);
  }
}

function named(ids) {
  return ids.length <= 3 ? ids.join(", ") : plural(ids.length, "key");
}

// Folder is the keys of one state.
class Folder {
  constructor(f, page) {
    Object.assign(this, f, { page, ids: [], shown: [], chosen: new Set() });
    this.head = h("h2", null, this.name);
    this.every = h("input", { type: "checkbox", "aria-label": `Choose all ${this.name.toLowerCase()} keys that are shown`, on: { change: () => this.chooseAll() } });
    this.bulk = h("span", { class: "row" });
    this.list = this.makeList();
    this.el = h("section", { class: "card stack keys", "aria-label": `${this.name} keys` }, h("div", { class: "row" }, this.every, this.head, this.bulk), this.tells ? h("p", { class: "muted" }, this.tells) : null, this.list);
    narrow.addEventListener("change", () => {
      const next = this.makeList();
      this.list.replaceWith(next);
      this.list = next;
      relist(this.list, this.shown);
    }, { signal: page.signal });
  }

  makeList() {
    return longList({
      rows: this.shown, rowHeight: narrow.matches ? 84 : 42, height: 336, label: this.name, empty: this.empty,
      render: (id) => this.row(id),
    });
  }


  row(id) {
    const box = h("input", { type: "checkbox", "aria-label": `Choose ${id}`, data: { key: `box ${id}` } });
    box.checked = this.chosen.has(id);
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(id);
      else this.chosen.delete(id);
      this.drawBulk();
    });
    const act = (what) => {
      const b = button(what, () => this.page.change(what, this, [id]), { label: `${what} ${id}`, kind: what === "Delete" ? "danger" : "plain" });
      b.dataset.key = `${what} ${id}`;
      return b;
    };
    const finger = button("Fingerprint", () => this.page.finger(id, this), { label: `Fingerprint of ${id}` });
    finger.dataset.key = `finger ${id}`;
    return h("div", { class: "cells key-row", data: { minion: id } }, box, this.name === "Accepted" ? minionLink(id, "", { class: "mono key-id", data: { key: `link ${id}` } }) : h("span", { class: "mono key-id" }, id), h("span", { class: "key-does" }, finger, this.does.map(act)));
  }

  set(ids) {
    this.ids = [...ids].sort();
    const there = new Set(ids);
    for (const id of this.chosen) if (!there.has(id)) this.chosen.delete(id);
  }

  chooseAll() {
    this.chosen = new Set(this.every.checked ? this.shown : []);
    this.draw();
  }

  draw(part = this.part || "") {
    this.part = part;
    this.shown = part ? this.ids.filter((id) => id.toLowerCase().includes(part)) : this.ids;
    if (part) this.chosen = new Set(this.shown.filter((id) => this.chosen.has(id))); // an action never applies to hidden keys
    setText(this.head, `${this.name} (${part ? `${count(this.shown.length)} of ` : ""}${count(this.ids.length)})`);
    relist(this.list, this.shown);
    this.drawBulk();
  }

  drawBulk() {
    const ids = [...this.chosen];
    this.every.checked = this.shown.length > 0 && this.shown.every((id) => this.chosen.has(id));
    this.every.hidden = !this.shown.length;
    keepFocus(this.bulk, () => fill(this.bulk, ids.length ? [h("span", { class: "muted" }, `${count(ids.length)} chosen`), this.does.map((what) => {
      const b = button(what, () => this.page.change(what, this, ids), { label: `${what} the ${plural(ids.length, "chosen key")}`, kind: what === "Delete" ? "danger" : "plain" });
      b.dataset.key = what;
      return b;
    })] : null));
  }
}
