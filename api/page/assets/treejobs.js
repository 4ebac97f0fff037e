// The running jobs on the edges of the tree: which nodes wait for how many of their minions.

import { events, get } from "./api.js";
import { openJobs } from "./treedata.js";

const most = 4; // jobs that are requested at a time; the others are counted
const every = 1200; // ms between two requests
const linger = 4000; // ms for which a finished job stays in the list

// JobWatch follows the running jobs. It calls onchange when there is something to draw.
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
      if (!this.signal.aborted && err.status !== 503 && err.status !== 0) this.jobs.delete(job.jid); // the user may not see it, or it is gone
    }
  }

  // progress returns the progress of the running jobs at a node; null for none. way is "down"
  // until the first return, then "back", then "done".
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

// settled is the number of minions that a job no longer waits for: returned, failed or missing.
export function settled(step) {
  return (step.returned || 0) + (step.failed || 0) + (step.missing_count || 0);
}

// byPath maps the path of each node to its account.
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
