// What several views share: streams that reconnect, throttled drawing, confirmations, tabs, and
// a keyboard focus that survives a redraw.

import { events } from "./api.js";
import { button, h, virtualList } from "./dom.js";

// pause waits, or until the view is left.
export function pause(ms, signal) {
  return new Promise((done) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      done();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
    if (signal.aborted) over();
  });
}

// batch returns a function that requests a drawing. However often it is called, draw runs at
// most once in that many ms, and not while the page is hidden.
export function batch(draw, signal, least = 200) {
  let asked = false;
  let last = -Infinity;
  return () => {
    if (asked) return;
    asked = true;
    setTimeout(() => requestAnimationFrame(() => {
      asked = false;
      last = performance.now();
      if (!signal.aborted) draw();
    }), Math.max(0, last + least - performance.now()));
  };
}

// hiddenTime is the time in ms after which a hidden page closes its streams: the API has 2,048
// in all, and a browser without HTTP/2 has six connections for all of its pages.
const hiddenTime = 30_000;
const firstWait = 1000;
const longestWait = 30_000;

// follow reads a stream and opens it again when the API has ended it, after longer and longer
// waits. The browser itself reconnects only lost connections. path may be a function, which is
// called each time. onstate gets "open", "retry", or "lost" with the reason and the ms until the
// next try. The returned function ends it.
export function follow(path, { onevent, onstate }, signal) {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  let wait = firstWait;
  let one = null;
  const open = () => {
    one = new AbortController();
    const mine = one;
    let ended = false;
    events(typeof path === "function" ? path() : path, {
      onevent: (tag, data, id) => {
        if (both.aborted || mine.signal.aborted) return;
        if (tag !== "mom/api/end" && tag !== "mom/api/slow") wait = firstWait;
        onevent(tag, data, id);
      },
      onstate: async (is, reason) => {
        if (both.aborted || ended || mine.signal.aborted) return;
        if (is !== "ended") {
          onstate(is);
          return;
        }
        ended = true;
        mine.abort();
        const ms = wait;
        wait = Math.min(2 * wait, longestWait);
        onstate("lost", reason, ms);
        await pause(ms, both);
        if (!both.aborted && one === mine && !document.hidden) open(); // otherwise it opens when the page is visible again
      },
    }, AbortSignal.any([both, mine.signal]));
  };
  let timer = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => one.abort(), hiddenTime);
    else if (one.signal.aborted) {
      onstate("retry");
      open();
    }
  }, { signal: both });
  open();
  return () => over.abort();
}

// streamWords describes the state of a stream, as onstate of follow gets it.
export function streamWords(is, reason, ms) {
  if (is === "open") return "Live.";
  if (is === "retry") return "The connection was lost; reconnecting …";
  return `${reason ? `The API ended the stream: ${reason}.` : "The API refused the stream."} Trying again in ${Math.round(ms / 1000)} s.`;
}

// ask shows a question in a dialog and returns whether the reader confirmed. Escape and the end
// of the view mean no.
export function ask({ title, text, action, kind = "danger" }, signal) {
  return new Promise((answer) => {
    const dialog = h("dialog", { class: "stack", "aria-labelledby": "ask-title" },
      h("h2", { id: "ask-title" }, title), [text].flat().map((t) => (typeof t === "string" ? h("p", null, t) : t)),
      h("div", { class: "row ask-buttons" }, button(action ? "Cancel" : "Close", () => dialog.close("")), action ? button(action, () => dialog.close("yes"), { kind }) : null));
    const leave = () => dialog.close("");
    dialog.addEventListener("close", () => {
      signal?.removeEventListener("abort", leave);
      dialog.remove();
      answer(dialog.returnValue === "yes" && !signal?.aborted);
    });
    signal?.addEventListener("abort", leave);
    document.body.append(dialog);
    dialog.showModal();
  });
}

let tabbed = 0;

// tabs are names to choose from, with a panel for the chosen one.
export function tabs({ label, names, chosen, onchoose }) {
  const id = `tabs-${++tabbed}`;
  const panel = h("div", { role: "tabpanel", id: `${id}-panel`, class: "stack" });
  const list = names.map((name, i) => h("button", {
    type: "button", role: "tab", id: `${id}-${i}`, "aria-controls": `${id}-panel`, on: { click: () => choose(name) },
  }, name));
  const el = h("div", { role: "tablist", class: "tabs", "aria-label": label }, list);
  const choose = (name, quiet) => {
    list.forEach((tab, i) => {
      const is = names[i] === name;
      tab.setAttribute("aria-selected", String(is));
      tab.tabIndex = is ? 0 : -1;
      if (is) panel.setAttribute("aria-labelledby", tab.id);
    });
    if (!quiet) onchoose(name);
  };
  el.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const next = list[(list.indexOf(document.activeElement) + step + list.length) % list.length];
    next.focus();
    next.click();
  });
  choose(chosen, true);
  return { el, panel, choose };
}

// relist sets the rows of a virtual list and keeps the focus. A list that has just grown draws
// again, because more rows fit.
export function relist(list, rows) {
  const before = list.clientHeight;
  keepFocus(list, () => {
    list.update(rows);
    if (list.clientHeight > before) list.update(rows);
  });
}

// longList is a virtual list whose rows keep the keyboard focus when they are redrawn, also by
// scrolling: it moves to the element with the same data-key.
export function longList(options) {
  const list = virtualList(options);
  let key;
  list.addEventListener("focusin", (e) => { key = e.target === list ? undefined : e.target.dataset.key; });
  list.addEventListener("focusout", (e) => { if (e.relatedTarget && !list.contains(e.relatedTarget)) key = undefined; });
  new MutationObserver(() => {
    if (key === undefined || document.activeElement !== document.body) return;
    list.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }).observe(list, { childList: true, subtree: true });
  return list;
}

// keepFocus redraws an element and keeps the focus in it: it moves to the element with the same
// data-key.
export function keepFocus(el, draw) {
  const at = document.activeElement;
  const key = at && at !== el && el.contains(at) ? at.dataset.key : undefined;
  draw();
  if (key && !el.contains(document.activeElement)) el.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// weight is the approximate number of characters of memory of a value; it stops counting at
// most.
export function weight(value, most = Infinity) {
  let sum = 0;
  const todo = [value];
  while (todo.length && sum < most) {
    const v = todo.pop();
    if (typeof v === "string") sum += v.length + 8;
    else if (v === null || typeof v !== "object") sum += 8;
    else {
      sum += 32;
      for (const key in v) {
        sum += Array.isArray(v) ? 8 : key.length + 8;
        todo.push(v[key]);
      }
    }
  }
  return Math.min(sum, most);
}

// brief is a value in one line of at most that many characters.
export function brief(value, most = 120) {
  let text;
  if (typeof value === "string") text = value.slice(0, 4 * most);
  else if (value === undefined) text = "";
  else if (weight(value, 4000) < 4000) text = JSON.stringify(value);
  else text = Array.isArray(value) ? `a list of ${value.length}` : `a map of ${Object.keys(value).length}: ${Object.keys(value).slice(0, 3).join(", ")} …`;
  text = text.replace(/\s+/g, " ").trim();
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

// remember and recall keep small values in this browser. If it keeps nothing, they do nothing.
export function remember(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // a private window or a full store: nothing depends on it
  }
}

export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

// minionLink is a link to the page of a minion; path names the nodes on the way to it.
export function minionLink(id, path, more = {}) {
  return h("a", { ...more, href: `#/minion/${encodeURIComponent(id)}${path ? `?path=${encodeURIComponent(path)}` : ""}` }, id);
}

// jobPath is the path of a job in the API; a job id may have more than digits.
export function jobPath(jid) {
  return `jobs/${encodeURIComponent(jid)}`;
}

// jobLink is the address of the page of a job.
export function jobLink(jid) {
  return `#/job/${encodeURIComponent(jid)}`;
}

// globSafe is an id as a pattern that matches only this id: wheel functions and some paths of
// the API accept globs.
export function globSafe(id) {
  return id.replace(/[*?[]/g, (c) => `[${c}]`);
}
