// The jobs in the job cache: those that still run, then the others, newest first.

import { get } from "./api.js";
import { alert, button, field, fill, h, setText, state } from "./dom.js";
import { count, jidTime, plural, when } from "./format.js";
import { openJobs } from "./treedata.js";
import { batch, brief, follow, jobLink, jobPath, keepFocus, pause, streamWords } from "./viewkit.js";

export const title = "Jobs";

const pageSize = 200;
const watched = 20; // newest jobs whose accounts are requested
const atOnce = 4; // concurrent requests
const every = 2000; // ms between two rounds of requests

// show lists the jobs until the view is left.
export async function show(root, params, signal) {
  const list = new JobList(signal);
  fill(root, h("div", { class: "row" }, h("h1", null, title), h("a", { class: "btn", href: "#/run" }, "Run a function")), list.el);
  await list.load();
  list.watch();
}

// kept returns the jobs of an answer by id. In place of the list the answer may have a text with
// the reason.
export function kept(answer) {
  const all = answer.return?.[0] ?? {};
  if (typeof all !== "object") throw new Error(`The master does not list its jobs: ${String(all).slice(0, 500)}`);
  return all;
}

// target is the target of a job in one line.
export function target(tgt, type) {
  const text = Array.isArray(tgt) ? `${tgt.slice(0, 5).join(", ")}${tgt.length > 5 ? ` and ${count(tgt.length - 5)} more` : ""}` : String(tgt ?? "");
  return type && type !== "glob" && type !== "list" ? `${text} (${type})` : text;
}

// functions are the names of the functions of a job.
export function functions(fun) {
  return Array.isArray(fun) ? fun.join(", ") : String(fun ?? "");
}

// verdict is the state of a job by its account: kind and words of its badge.
export function verdict(status) {
  if (!status.complete) return ["run", "running"];
  if (!status.expected) return ["unknown", "nobody matched"];
  const failed = status.failed ? `${count(status.failed)} failed` : "";
  const missing = status.missing_count ? `${count(status.missing_count)} missing` : "";
  if (failed) return ["fail", missing ? `${failed}, ${missing}` : failed];
  return missing ? ["gone", missing] : ["ok", "complete"];
}

// isUnknown reports whether an error means that no master keeps the account of a job.
export function isUnknown(err) {
  return err.status === 404 || err.status === 500 && /\bnot known\b/.test(err.message);
}

class JobList {
  constructor(signal) {
    this.signal = signal;
    this.jobs = new Map();
    this.page = 0;
    this.said = h("div");
    this.filter = field({ label: "Filter", name: "filter", type: "search", placeholder: "function, target, user or job id" });
    this.input = this.filter.querySelector("input");
    this.input.addEventListener("input", () => {
      this.page = 0;
      this.draw();
    });
    this.body = h("tbody");
    this.live = h("span", { class: "muted", role: "status" });
    this.newer = button("", () => this.draw());
    this.newer.hidden = true;
    this.pager = h("div", { class: "row" });
    const heads = ["Started", "Function", "Target", "User", "State", "Returned", "Failed", "Missing", "Job"];
    this.el = h("section", { class: "card stack" }, h("div", { class: "row" }, this.filter, this.live, this.newer), this.said,
      h("div", { class: "tablewrap jobs-wrap", tabindex: 0, role: "group", "aria-label": "Jobs" },
        h("table", { class: "jobs" }, h("caption", { class: "visually-hidden" }, "Jobs"), h("thead", null, h("tr", null, heads.map((name) => h("th", { scope: "col", class: ["Returned", "Failed", "Missing"].includes(name) ? "num" : null }, name)))), this.body)), this.pager);
    this.soon = batch(() => (this.held() ? this.hold() : this.draw()), signal);
    this.reload = batch(() => this.load(), signal, 3000);
  }

  // load requests all jobs in the job cache.
  async load() {
    try {
      const answer = await get("jobs", { signal: this.signal });
      const all = kept(answer);
      const known = this.jobs;
      this.jobs = new Map();
      for (const [jid, load] of Object.entries(all)) this.put(jid, load, known.get(jid));
      for (const [jid, job] of known) if (!this.jobs.has(jid) && job.fresh) this.jobs.set(jid, job);
      fill(this.said);
      this.draw();
    } catch (err) {
      if (this.signal.aborted) return;
      if (!this.jobs.size) throw err;
      fill(this.said, alert(`What is shown may be old. ${err.message}`));
    }
  }

  // put keeps the fields of a job that its row shows.
  put(jid, load, before) {
    const job = {
      jid, fun: brief(functions(load.Function), 80), target: brief(target(load.Target, load["Target-type"]), 120), user: brief(load.User, 60),
      open: before?.open || false, status: before?.status || null, fresh: load.fresh || false,
    };
    if (load.Error) job.fun = brief(load.Error, 80);
    job.words = `${jid} ${job.fun} ${job.target} ${job.user}`.toLowerCase();
    this.jobs.set(jid, job);
    return job;
  }

  // watch follows new jobs and requests the accounts of those that run.
  watch() {
    follow("events?tag=salt/job/*/new", {
      onevent: (tag, data) => {
        if (tag === "mom/api/gap" || tag === "mom/api/lost") this.reload();
        const jid = tag.split("/")[2];
        if (!tag.startsWith("salt/job/") || !/^\d{20}/.test(jid) || this.jobs.has(jid) || data.fun === "saltutil.find_job") return;
        this.put(jid, { Function: data.fun, Target: data.tgt, "Target-type": data.tgt_type, User: data.user, fresh: true }).open = true;
        this.waiting = (this.waiting || 0) + 1;
        this.soon();
      },
      onstate: (is, reason, ms) => {
        if (is === "open" && this.lost) this.reload();
        this.lost = is !== "open";
        fill(this.live, streamWords(is, reason, ms));
      },
    }, this.signal);
    openJobs(this.signal).then((jids) => {
      for (const jid of jids) if (this.jobs.has(jid)) this.jobs.get(jid).open = true;
      this.soon();
    }, () => {}); // a user who may not ask sees the newest jobs
    this.poll();
  }

  async poll() {
    while (!this.signal.aborted) {
      if (!document.hidden) {
        const newest = this.sorted().slice(0, watched);
        const due = newest.filter((job) => !job.status || !job.status.complete && !job.gone);
        for (let i = 0; i < due.length && !this.signal.aborted; i += atOnce) {
          await Promise.all(due.slice(i, i + atOnce).map((job) => this.ask(job)));
        }
        if (due.length || !this.newer.hidden) this.soon();
      }
      await pause(every, this.signal);
    }
  }

  async ask(job) {
    try {
      const { return: [status] } = await get(`${jobPath(job.jid)}/status`, { signal: this.signal });
      job.status = status;
      job.open = !status.complete;
    } catch (err) {
      if (!isUnknown(err) && (!err.status || err.status >= 500)) return; // it is requested again
      job.gone = true; // its account is no longer kept, so the job has ended; or the user may not see it
      job.open = false;
      job.status ||= { complete: true, unknown: true };
    }
  }

  // sorted returns the jobs: those that run first, then by id, which is a time.
  sorted() {
    return [...this.jobs.values()].sort((a, b) => b.open - a.open || (a.jid < b.jid ? 1 : -1));
  }

  // held reports whether the reader is about to choose a row, which must not move then.
  held() {
    return this.body.matches(":hover, :focus-within") && this.shown?.length > 0;
  }

  hold() {
    for (const job of this.shown) this.tell(job);
    this.newer.hidden = !this.waiting;
    this.newer.textContent = `Show ${plural(this.waiting || 0, "new job")}`;
  }

  draw() {
    this.waiting = 0;
    this.newer.hidden = true;
    const part = this.input.value.trim().toLowerCase();
    const all = this.sorted().filter((job) => !part || job.words.includes(part));
    const pages = Math.max(1, Math.ceil(all.length / pageSize));
    this.page = Math.min(this.page, pages - 1);
    this.shown = all.slice(this.page * pageSize, (this.page + 1) * pageSize);
    keepFocus(this.body, () => fill(this.body, this.shown.map((job) => this.row(job)),
      this.shown.length ? null : h("tr", null, h("td", { colspan: 9, class: "muted" }, part ? "No job matches the filter." : "No jobs are kept. Jobs that start from now on appear here."))));
    const turn = (by) => () => {
      this.page += by;
      this.draw();
    };
    const back = button("Newer", turn(-1));
    const on = button("Older", turn(1));
    back.disabled = this.page === 0;
    on.disabled = this.page === pages - 1;
    keepFocus(this.pager, () => fill(this.pager, h("span", { class: "muted" }, `${plural(all.length, "job")}${pages > 1 ? `, page ${this.page + 1} of ${pages}` : ""}`), pages > 1 ? [back, on] : null));
  }

  row(job) {
    job.cells = { state: h("td"), got: h("td", { class: "num" }), failed: h("td", { class: "num" }), missing: h("td", { class: "num" }) };
    const at = jidTime(job.jid);
    const el = h("tr", { data: { jid: job.jid } },
      h("td", { class: "nowrap" }, at ? when(at) : "–"),
      h("td", null, h("a", { href: jobLink(job.jid), title: job.jid, data: { key: job.jid } }, job.fun || "(not known)")),
      h("td", null, job.target), h("td", null, job.user), job.cells.state, job.cells.got, job.cells.failed, job.cells.missing, h("td", { class: "mono" }, job.jid));
    this.tell(job, true);
    return el;
  }

  // tell writes the state of a job into its row.
  tell(job, first) {
    const s = job.status;
    const key = JSON.stringify([job.open, s && [s.complete, s.expected, s.returned, s.failed, s.missing_count]]);
    if (!job.cells || !first && job.told === key) return;
    job.told = key;
    const { cells } = job;
    if (!s || s.unknown) {
      fill(cells.state, job.open ? state("run", "running") : s ? h("span", { class: "muted", title: "Its account is no longer kept, or this user may not see it." }, "ended") : null);
      return;
    }
    fill(cells.state, state(...verdict(s)));
    setText(cells.got, `${count(s.returned + s.failed)} of ${count(s.expected)}`);
    setText(cells.failed, s.failed ? count(s.failed) : "");
    setText(cells.missing, s.missing_count ? count(s.missing_count) : "");
  }
}
