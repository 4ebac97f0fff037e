// The events of the master as they arrive.

import { button, field, fill, h, setText } from "./dom.js";
import { count, json, plural, when } from "./format.js";
import { batch, brief, follow, streamWords, weight } from "./viewkit.js";

export const title = "Events";

const most = 1000; // rows
const mostWeight = 32 << 20; // approximate characters of the kept events

// The events of the API itself, with what they mean.
const notices = {
  "mom/api/gap": (d) => `${d.missed ? plural(d.missed, "event") : "Events"} between the last one and these cannot be had any more: the API keeps the last 4,096. Ask under Jobs and Tree what happened.`,
  "mom/api/lost": () => "The event bus of the master was lost for a while; events may be missing. Check whether the master was restarted.",
  "mom/api/slow": () => "This page did not keep up and was cut off; it comes back where it was. A narrower tag brings fewer events.",
  "mom/api/end": (d) => `The API ended this stream: ${d.reason || "without a reason"}.`,
};

// show lists events until the view is left.
export async function show(root, params, signal, query) {
  fill(root, new EventLog(signal, query).el);
}

class EventLog {
  constructor(signal, query) {
    this.signal = signal;
    this.rows = []; // newest last
    this.weight = 0;
    this.came = 0;
    this.missed = 0;
    this.tag = field({ label: "Tag", name: "tag", type: "search", value: query.get("tag") || "", placeholder: "salt/job/, salt/minion/*/start" });
    this.pause = h("input", { type: "checkbox", on: { change: () => this.soon() } });
    this.live = h("span", { class: "muted", role: "status" });
    this.total = h("span", { class: "muted" });
    this.list = h("div", { class: "events", tabindex: 0, role: "log", "aria-label": "Events", "aria-live": "off" });
    this.soon = batch(() => this.draw(), signal, 250);
    const form = h("form", { class: "row", "aria-label": "Which events" }, this.tag, button("Listen", null, { type: "submit" }),
      h("label", { class: "check" }, this.pause, "Pause"), button("Clear", () => this.clear()));
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      this.listen();
    });
    this.tag.querySelector("input").addEventListener("change", () => this.listen());
    this.el = h("div", { class: "stack" }, h("h1", null, title), h("section", { class: "card stack" }, form, h("p", { class: "muted" }, "Tags begin with this, or match it as a glob; separate several with commas. The API sends only matching events."), h("div", { class: "row" }, this.live, this.total), this.list));
    this.listen();
    this.draw();
  }

  // listen opens the stream of the tags in the field.
  listen() {
    const tags = this.tag.querySelector("input").value.split(",").map((t) => t.trim()).filter(Boolean);
    const key = JSON.stringify(tags);
    if (key === this.tags) return;
    const first = this.tags === undefined;
    this.tags = key;
    this.last = "";
    this.stop?.();
    if (!first) history.replaceState(null, "", `#/events${tags.length ? `?tag=${encodeURIComponent(tags.join(","))}` : ""}`);
    fill(this.live, "Connecting …");
    this.stop = follow(() => {
      const query = new URLSearchParams(tags.map((t) => ["tag", t]));
      if (this.last) query.set("last_event_id", this.last); // a reopened stream resumes
      return `events${query.size ? `?${query}` : ""}`;
    }, { onevent: (tag, data, id) => this.add(tag, data, id), onstate: (is, reason, ms) => fill(this.live, streamWords(is, reason, ms)) }, this.signal);
  }

  add(tag, data, id) {
    if (id) this.last = id;
    this.came++;
    const row = { n: this.came, tag, data, words: notices[tag]?.(data), at: new Date(), weight: weight(data, mostWeight) };
    this.rows.push(row);
    this.weight += row.weight;
    while (this.rows.length > most || this.weight > mostWeight && this.rows.length > 1) this.weight -= this.rows.shift().weight;
    if (this.pause.checked) this.missed++;
    this.soon();
  }

  clear() {
    this.rows = [];
    this.weight = 0;
    this.came = 0;
    this.missed = 0;
    this.list.replaceChildren();
    this.draw(true);
  }

  // draw adds the new rows at the top and removes old ones. While it is paused, nothing moves;
  // the newest events are shown when it continues.
  draw(cleared = false) {
    const paused = this.pause.checked;
    setText(this.total, `${count(this.came)} came${this.came > this.rows.length ? `; the last ${count(this.rows.length)} are shown` : ""}${paused && this.missed ? `; paused: ${count(this.missed)} wait` : ""}`);
    if (paused && !cleared) return;
    this.missed = 0;
    const oldest = this.rows[0]?.n ?? Infinity;
    const top = Number(this.list.firstElementChild?.dataset.n || 0);
    for (let el = this.list.lastElementChild; el && Number(el.dataset.n) < oldest; el = this.list.lastElementChild) el.remove();
    const fresh = this.rows.filter((row) => row.n > top).reverse().map((row) => this.row(row));
    if (fresh.length) this.list.prepend(...fresh);
    if (this.rows.length) this.none?.remove();
    else if (!this.list.firstElementChild) this.list.append(this.none = h("p", { class: "muted none" }, "No event yet. Events appear as they happen; earlier ones are not shown."));
  }

  row(row) {
    const at = row.data?._stamp ? when(`${String(row.data._stamp).replace(/(Z|[+-]\d\d:?\d\d)$/, "")}Z`) : when(row.at);
    const el = h("details", { class: row.words ? "event event-notice" : "event", data: { tag: row.tag, n: row.n } },
      h("summary", null, h("span", { class: "muted nowrap" }, at), h("span", { class: "mono event-tag" }, row.tag), h("span", { class: "muted event-line" }, row.words || gist(row.data))));
    const body = h("pre", { class: "output", tabindex: 0, role: "group", "aria-label": `Data of ${row.tag}` });
    el.addEventListener("toggle", () => {
      if (!el.open) {
        body.remove();
        return;
      }
      body.textContent = cutTo(json(row.data));
      el.append(body);
    });
    // A reader who opens a row is reading: the list pauses until the reader continues it.
    el.querySelector("summary").addEventListener("click", () => {
      if (el.open || this.pause.checked) return;
      this.pause.checked = true;
      this.soon();
    });
    return el;
  }
}

// gist is a summary of most events in one line.
function gist(data) {
  if (!data || typeof data !== "object") return brief(data, 100);
  const parts = ["id", "fun", "act", "tgt", "user"].filter((name) => data[name] !== undefined && data[name] !== "").map((name) => `${name} ${brief(data[name], 60)}`);
  if (data.retcode) parts.push(`retcode ${data.retcode}`);
  return parts.length ? parts.join(", ") : brief(data, 100);
}

function cutTo(text, longest = 200_000) {
  return text.length > longest ? `${text.slice(0, longest)}\n… cut off here` : text;
}
