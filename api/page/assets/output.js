// The values that minions return, in readable form: as Salt's nested outputter prints them, as
// JSON, and as the results of states with a summary.

import { button, h, note, state } from "./dom.js";
import { json as pretty, plural } from "./format.js";

// The longest text in characters, and the deepest nesting, that is shown: a browser stalls with
// more. The download has the whole.
const longest = 400_000;
const deepest = 60;
const mostStates = 300;

// Characters that are invisible or reverse the order of others: a minion could hide its output
// with them.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const cut = "… cut off here: it is too long to be shown. Download the job to have all of it.";

// nested writes a value as Salt's outputter of that name does, without colours.
export function nested(value, indent = 0) {
  const out = { lines: [], left: longest };
  display(out, value, indent, "", 0);
  return out.lines.join("\n");
}

function put(out, indent, text) {
  if (out.left <= 0) return;
  out.left -= text.length + indent + 1;
  out.lines.push(out.left > 0 ? " ".repeat(indent) + text.replace(unseen, "?") : cut);
}

function display(out, value, indent, prefix, depth) {
  if (out.left <= 0) return;
  if (depth > deepest) {
    put(out, indent, "… nested deeper than is shown here");
  } else if (Array.isArray(value)) {
    for (const item of value) {
      if (out.left <= 0) return;
      if (item === null || typeof item !== "object") {
        display(out, item, indent, "- ", depth);
        continue;
      }
      put(out, indent, "|_");
      display(out, item, indent + 2, Array.isArray(item) ? "- " : "", depth + 1);
    }
  } else if (value !== null && typeof value === "object") {
    if (indent > 0) put(out, indent, "----------");
    for (const key of Object.keys(value).sort()) {
      if (out.left <= 0) return;
      put(out, indent, `${prefix}${oneLine(key)}:`);
      display(out, value[key], indent + 4, "", depth + 1);
    }
  } else if (typeof value === "string") {
    for (const line of splitLines(value)) {
      put(out, indent, prefix + line);
      prefix = " ".repeat(prefix.length);
    }
  } else {
    put(out, indent, prefix + scalar(value));
  }
}

// scalar is a value as Python prints it.
function scalar(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  return String(value);
}

function splitLines(text) {
  const list = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/);
  if (list[list.length - 1] === "") list.pop();
  return list;
}

function oneLine(text) {
  return text.replace(/[\r\n]+/g, " ");
}

// text is the return of a minion under its id.
export function text(value, id) {
  return `${oneLine(id)}:\n${nested(value, 4)}`;
}

// json is a value as indented JSON.
export function json(value) {
  const all = pretty(value);
  return all.length > longest ? `${all.slice(0, longest)}\n${cut}` : all;
}

// isStates reports whether a value is a result of a function such as state.apply.
export function isStates(value) {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, v]) => key.split("_|-").length === 4 && v && typeof v === "object" && "result" in v);
}

// read returns the results of states in the order in which they ran, with their totals.
export function read(value) {
  const sum = { ok: 0, unchanged: 0, failed: 0, changed: 0, warnings: 0, took: 0 };
  let beside = 0; // states that ran in parallel took as long as the longest
  const states = Object.entries(value).map(([key, v]) => {
    const [module, id, name, fun] = key.split("_|-");
    const changes = v.changes && typeof v.changes === "object" && Object.keys(v.changes).length ? v.changes : null;
    const kind = v.result === true ? "ok" : v.result === false ? "fail" : "wait";
    const took = parseFloat(v.duration) || 0;
    if (kind === "ok") sum.ok++;
    else if (kind === "fail") sum.failed++;
    else sum.unchanged++;
    if (changes) sum.changed++;
    if (v.warnings?.length) sum.warnings++;
    if (v.__parallel__) beside = Math.max(beside, took);
    else sum.took += took;
    return { id, name, fun: `${module}.${fun}`, kind, changes, took, at: Number(v.__run_num__) || 0, comment: scalar(v.comment ?? "").trim(), warnings: v.warnings || [] };
  });
  sum.took += beside;
  states.sort((a, b) => a.at - b.at);
  return { states, sum };
}

const said = { ok: "succeeded", fail: "failed", wait: "would change" };

// highstate shows the results of the states of one minion. Those that failed or changed
// something are open, the others can be opened.
export function highstate(value, id) {
  const head = h("h3", { class: "mono" }, id);
  if (Array.isArray(value) && value.length && value.every((v) => typeof v === "string")) {
    return h("section", { class: "stack" }, head, state("fail", "The states could not be compiled"), value.map((v) => h("pre", { class: "output" }, v)));
  }
  if (!isStates(value)) {
    return h("section", { class: "stack" }, head, note("This return has no results of states; it is shown as text."), h("pre", { class: "output", tabindex: 0, role: "group", "aria-label": `Return of ${id}` }, text(value, id)));
  }
  const { states, sum } = read(value);
  const list = h("ol", { class: "states plain", "aria-label": `States of ${id}` }, states.slice(0, mostStates).map(one));
  const more = states.length > mostStates ? button(`Show ${plural(states.length - mostStates, "more state")}`, (e) => {
    e.currentTarget.remove();
    list.append(...states.slice(mostStates).map(one));
  }) : null;
  return h("section", { class: "stack" }, head, summary(sum, states.length), list, more);
}

function summary(sum, all) {
  const about = [];
  if (sum.unchanged) about.push(`${sum.unchanged} would change`);
  if (sum.changed) about.push(`${sum.changed} changed`);
  return h("p", { class: "row" },
    state("ok", `Succeeded: ${sum.ok + sum.unchanged}${about.length ? ` (${about.join(", ")})` : ""}`),
    state(sum.failed ? "fail" : "ok", `Failed: ${sum.failed}`),
    sum.warnings ? state("lag", `Warnings: ${sum.warnings}`) : null,
    h("span", { class: "muted" }, `${plural(all, "state")}, ${duration(sum.took)}`));
}

// duration is a time given in ms.
function duration(ms) {
  return ms > 999 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(1)} ms`;
}

function one(s) {
  const body = h("details", { class: `state state-${s.kind}` },
    h("summary", null, state(s.changes && s.kind === "ok" ? "run" : s.kind, s.changes && s.kind === "ok" ? "changed" : said[s.kind]),
      h("span", { class: "mono" }, s.id), h("span", { class: "muted" }, s.fun), h("span", { class: "muted num" }, duration(s.took))),
    s.name !== s.id ? h("p", { class: "mono muted" }, `Name: ${s.name}`) : null,
    s.comment ? h("pre", null, s.comment.slice(0, longest)) : null,
    s.warnings.length ? h("pre", { class: "warned" }, `Warnings: ${[s.warnings].flat().map(String).join("\n")}`) : null);
  if (s.changes) {
    const changes = h("pre", { class: "output" });
    const write = () => {
      if (body.open && !changes.textContent) changes.textContent = nested(s.changes); // only when it is opened: a diff may be long
    };
    body.append(changes);
    body.addEventListener("toggle", write);
  }
  if (s.kind !== "ok" || s.changes) body.open = true;
  return h("li", null, body);
}
