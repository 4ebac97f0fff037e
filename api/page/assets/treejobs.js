// The jobs at work, as they run down the edges of the tree and back: which node waits for
// how many of its minions.

import { events, get } from "./api.js";
import { openJobs } from "./treedata.js";

const most = 4; // jobs that are asked for at a time; the others are counted
const every = 1200; // ms between two questions
const linger = 4000; // ms for which a job that has ended is still listed

// JobWatch knows the jobs at work. onchange is called when there is something to draw.
export class JobWatch {
  constructor(onchange) {
    this.onchange = onchange;
    this.jobs = new Map();
  }

  // start watches until signal fires.
  async start(signal) {
    this.signal = signal;
    events("events?tag=salt/job/*/new", { onevent: (tag, data) => this.add(tag.split("/")[2], data.fun) }, signal);
    for (const jid of await openJobs(signal)) this.add(jid, "");
    this.ask();
  }

  add(jid, fun) {
    if (!/^\d{20}/.test(jid || "") || this.jobs.has(jid) || this.jobs.size >= 200) return;
    this.jobs.set(jid, { jid, fun: fun || "", status: null, over: 0 });
    this.onchange();
  }

  async ask() {
    while (!this.signal.aborted) {
      if (!document.hidden) {
        const open = [...this.jobs.values()].filter((j) => !j.over).slice(-most);
        await Promise.all(open.map((j) => this.askFor(j)));
        for (const [jid, j] of this.jobs) if (j.over && Date.now() - j.over > linger) this.jobs.delete(jid);
        if (open.length || this.drawn) this.onchange();
        this.drawn = this.jobs.size > 0;
      }
      await new Promise((done) => setTimeout(done, every));
    }
  }

  async askFor(job) {
    try {
      const answer = await get(`jobs/${job.jid}/status`, { signal: this.signal });
      job.status = answer.return[0];
      job.fun = job.status.fun || job.fun;
      job.by = byPath(job.status);
      if (job.status.complete) job.over = Date.now();
    } catch (err) {
      if (!this.signal.aborted && err.status !== 503 && err.status !== 0) this.jobs.delete(job.jid); // not to be seen by this user, or gone
    }
  }

  // progress tells what the jobs at work want of a node and have of it: null for nothing.
  // way: "down" until the first return comes back, then "back", then "done".
  progress(path) {
    let expected = 0;
    let returned = 0;
    for (const job of this.jobs.values()) {
      const step = job.by?.get(path);
      if (!step) continue;
      expected += step.expected || 0;
      returned += Math.min(settled(step), step.expected || 0);
    }
    if (!expected) return null;
    return { done: returned / expected, way: returned === 0 ? "down" : returned < expected ? "back" : "done" };
  }
}

// settled is how many minions of a job are not waited for any more: they have returned, well
// or not, or are known to be missing.
export function settled(step) {
  return (step.returned || 0) + (step.failed || 0) + (step.missing_count || 0);
}

// byPath lays the account of each node out by its path.
function byPath(status) {
  const by = new Map([["", status]]);
  const walk = (steps, above) => {
    for (const step of steps || []) {
      const path = above ? `${above}/${step.node}` : step.node;
      by.set(path, step);
      walk(step.nodes, path);
    }
  };
  walk(status.nodes, "");
  return by;
}
