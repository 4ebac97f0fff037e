// One job: its function and target, its account, and the returns as they arrive.

import { get, post } from "./api.js";
import { alert, button, fill, h, note } from "./dom.js";
import { jidTime, plural, seconds, when } from "./format.js";
import { lines, runLink } from "./arguments.js";
import { Account, Missing } from "./jobparts.js";
import { ReturnsView } from "./jobreturns.js";
import { functions, isUnknown, target } from "./jobs.js";
import { ask, batch, follow, jobLink, jobPath, minionLink, pause, streamWords } from "./viewkit.js";

export const title = "Job";

const every = 2000; // ms between two requests for the account
const settle = 6000; // ms of silence after which the stream of a finished job is closed

// show shows a job until the view is left.
export async function show(root, params, signal) {
  const [jid = ""] = params;
  if (!/^\d{20}[!-~]*$/.test(jid)) throw new Error(`"${jid}" is not a job id, which has 20 digits, such as 20260131120000000000. Look for the job under Jobs.`);
  const page = new JobPage(jid, signal);
  fill(root, page.el);
  try {
    await page.start();
  } catch (err) {
    fill(root, page.title); // figures that cannot come are not shown
    throw err;
  }
}

class JobPage {
  constructor(jid, signal) {
    this.jid = jid;
    this.signal = signal;
    this.load = null; // function and target of the job, once they are known
    this.status = null;
    this.account = new Account();
    this.missing = new Missing();
    this.returns = new ReturnsView(jid, signal);
    this.drawMissing = batch(() => this.missing.draw(), signal);
    this.title = h("h1", null, "Job ", h("span", { class: "mono" }, jid));
    this.facts = h("dl", { class: "pairs facts" });
    this.said = h("div");
    this.live = h("span", { class: "muted", role: "status" });
    this.again = h("a", { class: "btn", hidden: true }, "Run again");
    this.kill = button("Kill on minions", () => this.askKill(), { kind: "danger" });
    this.kill.disabled = true;
    // The browser stores the answer of the API: complete, exact, and without the memory of
    // the page.
    this.save = h("a", { class: "btn", href: jobPath(jid), download: `job-${jid}.json` }, "Download JSON");
    this.el = h("div", { class: "stack" }, h("div", { class: "row" }, this.title, h("span", { class: "spring" }), this.live),
      h("div", { class: "row" }, this.again, this.save, this.kill), this.said, h("section", { class: "card", "aria-label": "What was asked" }, this.facts), this.account.el, h("div", { class: "job-grid" }, this.returns.el, this.missing.el));
  }

  async start() {
    this.tellFacts();
    try {
      await this.askStatus();
    } catch (err) {
      if (!isUnknown(err)) throw err;
      await this.history();
      return;
    }
    this.askLoad();
    this.stream();
    this.poll();
  }

  // askStatus requests the account.
  async askStatus() {
    const { return: [status] } = await get(`${jobPath(this.jid)}/status`, { signal: this.signal });
    this.status = status;
    this.account.tell(status);
    this.missing.all = status.missing_count;
    if (this.missing.add(status.missing || []) || status.missing_count) this.drawMissing();
    this.returns.prefer(status.fun);
    this.tellFacts();
  }

  async poll() {
    let wrong = 0;
    while (!this.signal.aborted && !this.status.complete) {
      await pause(Math.min(every * 2 ** wrong, 30_000), this.signal);
      if (this.signal.aborted) return;
      if (document.hidden) continue;
      try {
        await this.askStatus();
        if (wrong) fill(this.said);
        wrong = 0;
      } catch (err) {
        if (this.signal.aborted) return;
        wrong++;
        fill(this.said, alert(`The account may be old. ${err.message}`));
      }
    }
  }

  // askLoad requests function and target without the returns: from the list of the jobs that
  // started at the same moment. Users who may not call runners get them in another way, or not
  // at all.
  async askLoad() {
    const ways = [
      () => post(".", [{ client: "runner", fun: "jobs.list_jobs", kwarg: { start_time: this.jid, end_time: this.jid } }], { signal: this.signal }),
      () => get("jobs", { signal: this.signal }),
    ];
    for (const way of ways) {
      try {
        const load = (await way()).return?.[0]?.[this.jid];
        if (!load?.Function) continue;
        this.load = load;
        this.tellFacts();
        return;
      } catch {
        if (this.signal.aborted) return;
      }
    }
    this.unknown = true;
    this.tellFacts();
  }

  // stream reads the stored returns and those that arrive.
  stream() {
    this.heard = performance.now();
    this.stop = follow(`${jobPath(this.jid)}/stream`, {
      onevent: (tag, data) => {
        this.heard = performance.now();
        if (tag.startsWith("salt/job/") && typeof data.id === "string") {
          this.returns.add(data.id, { value: data.return, retcode: data.retcode, success: data.success, trimmed: data.trimmed });
          if (this.missing.ids.has(data.id)) {
            this.missing.remove(data.id);
            this.drawMissing();
          }
        } else if (tag === "mom/job/missing" && this.missing.addMap(data.missing)) this.drawMissing();
        else if (tag === "mom/job/complete") this.end(data);
      },
      onstate: (is, reason, ms) => {
        if (is === "open") this.returns.store.again();
        fill(this.live, is === "open" && this.status.complete ? "" : streamWords(is, reason, ms));
      },
    }, this.signal);
    this.watchSilence();
  }

  // watchSilence closes the stream of a job that ended long ago once all of its returns are
  // there: the master does not report its end again.
  async watchSilence() {
    while (!this.signal.aborted && !this.ended) {
      await pause(1000, this.signal);
      const { store } = this.returns;
      const all = this.status.complete && store.rows.length + store.over >= this.status.returned + this.status.failed;
      if (all && performance.now() - this.heard > settle) this.end(null);
    }
  }

  async end(account) {
    this.ended = true;
    this.stop();
    fill(this.live);
    if (account && this.missing.addMap(account.missing)) this.drawMissing();
    if (!account || this.status.complete) return;
    try {
      await this.askStatus();
    } catch {
      // the stream has reported the end too
    }
    if (this.signal.aborted || this.status.complete) return;
    const gone = Object.keys(account.missing || {}).length;
    this.status = { ...this.status, complete: true, expected: account.expected, returned: account.returned, failed: account.failed, missing_count: gone, waiting_count: 0, waiting: [] };
    this.account.tell(this.status);
    this.tellFacts();
  }

  // history shows a job from the job cache if the master no longer keeps its account.
  async history() {
    const answer = await get(jobPath(this.jid), { signal: this.signal });
    const info = answer.info?.[0] || answer.return[0] || {};
    if (info.Error && !Object.keys(info.Result || {}).length) {
      this.el.replaceChildren(h("div", { class: "row" }, this.title), alert("Unknown job, or no longer kept. Jobs are kept for a day unless keep_jobs_seconds says otherwise."), h("div", null, h("a", { class: "btn", href: "#/jobs" }, "All jobs")));
      return;
    }
    this.load = info;
    this.returns.prefer(functions(info.Function));
    const results = Object.entries(info.Result || {});
    for (const [id, r] of results) this.returns.add(id, { value: r.return, retcode: r.retcode, success: r.success });
    this.missing.add(Object.entries(info.Missing || {}).map(([id, reason]) => ({ id, reason, path: info.Paths?.[id] })));
    this.drawMissing();
    const failed = results.filter(([, r]) => r.success === false || r.retcode).length;
    const lost = this.missing.rows.length;
    this.status = { complete: true, expected: Math.max((info.Minions || []).length, results.length + lost), returned: results.length - failed, failed, missing_count: lost, waiting_count: 0, nodes: [] };
    this.account.tell(this.status);
    fill(this.said, note("This job is from the job cache: its account by nodes is no longer kept."));
    this.tellFacts();
  }

  tellFacts() {
    const { load, status } = this;
    const at = jidTime(this.jid);
    const wait = this.unknown ? "not known: this user may not see it" : "…";
    const rows = [
      ["Function", load ? functions(load.Function) : status?.fun || wait], ["Arguments", load ? argumentText(load) : wait],
      ["Target", load ? targetText(load) : wait], ["Asked by", load ? String(load.User ?? "") : wait],
      ["Started", at ? when(at) : "–"], ["Took", tookWords(status)],
    ];
    if (load?.Metadata) rows.push(["Metadata", JSON.stringify(load.Metadata)]);
    fill(this.facts, rows.map(([name, value]) => [h("dt", null, name), h("dd", { class: "mono" }, value)]));
    const fun = load ? functions(load.Function) : status?.fun;
    if (fun) document.title = `${fun} · mom`;
    this.kill.disabled = !load || Boolean(load.Error) || !status || Boolean(status.complete);
    this.again.hidden = !load || Boolean(load.Error);
    if (!this.again.hidden) this.again.href = runLink({ tgt: load.Target, tgtType: load["Target-type"], fun: load.Function, args: load.Arguments || [] });
  }

  // askKill asks the reader, then makes the minions end the job.
  async askKill() {
    const { load } = this;
    const yes = await ask({
      title: "Kill this job on its minions?", action: "Kill on minions",
      text: [`saltutil.kill_job ends ${functions(load.Function)} on ${target(load.Target, load["Target-type"])} at once, wherever it stands. What it has done by then stays done.`],
    }, this.signal);
    if (!yes) return;
    this.kill.disabled = true;
    try {
      const answer = await post("minions", [{ tgt: load.Target, tgt_type: load["Target-type"] || "glob", fun: "saltutil.kill_job", arg: [this.jid] }], { signal: this.signal });
      const jid = answer.return[0]?.jid;
      fill(this.said, jid ? h("p", { class: "note", role: "status" }, "The minions were asked to end it by the job ", h("a", { class: "mono", href: jobLink(jid) }, jid), ".") : alert("No minion matches the target any more."));
    } catch (err) {
      if (!this.signal.aborted) fill(this.said, alert(`The job was not killed. ${err.message}`));
    }
    this.kill.disabled = this.status.complete;
  }
}

function argumentText(load) {
  const list = lines(load.Arguments || []);
  const all = list.join("  ");
  if (!list.length) return "none";
  return all.length > 2000 ? `${all.slice(0, 2000)}…` : all;
}

// targetText is the target; a single minion links to its page.
function targetText(load) {
  const { Target: tgt, "Target-type": type } = load;
  if (typeof tgt === "string" && (!type || type === "glob" || type === "list") && /^[\w.@-]+$/.test(tgt)) return minionLink(tgt);
  return Array.isArray(tgt) && tgt.length > 5 ? `${target(tgt, type)} (${plural(tgt.length, "minion")})` : target(tgt, type);
}

function tookWords(status) {
  const from = Date.parse(status?.published);
  const until = Date.parse(status?.closed || status?.last_return);
  if (!status) return "…";
  if (!status.complete) return "not over yet";
  return Number.isNaN(from) || Number.isNaN(until) ? "not known" : seconds((until - from) / 1000);
}
