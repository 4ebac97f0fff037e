// The view of the tree: whether all is well, where the problems are, which jobs run, and what
// they wait for.

import { alert, button, field, fill, h, state } from "./dom.js";
import { fetchTree, find, words } from "./treedata.js";
import { Picture } from "./treedraw.js";
import { JobWatch } from "./treejobs.js";
import { foldedAtFirst } from "./treelayout.js";
import { Details, jobs, problems, verdict } from "./treepanel.js";

const nearly = 0.8; // a picture slightly larger than its room is scaled to fit

export const title = "Tree";

const every = 2000; // ms between two requests for the tree

// show requests the tree again and again and draws it until the view is left.
export async function show(root, params, signal) {
  let model = await fetchTree(signal);
  let folded = foldedAtFirst(model);
  let opened = known(model, params.join("/"));
  let illOnly = false;

  const strip = h("div", { class: "row strip" });
  const lost = h("div");
  const stage = h("div", { class: "stage card" });
  const details = new Details(signal);
  const wrong = h("section", { class: "card stack problems", role: "region", "aria-label": "Problems" });
  const work = h("section", { class: "card stack", role: "region", "aria-label": "Jobs at work" });
  const watch = new JobWatch(() => draw());

  const open = (path) => {
    opened = path;
    history.replaceState(null, "", `#/tree/${path.split("/").map(encodeURIComponent).join("/")}`);
    unfold(path);
    draw();
    details.open(model.nodes.get(path));
  };
  const fold = (path) => {
    if (!folded.delete(path)) folded.add(path);
    draw();
  };
  const unfold = (path) => {
    for (let n = model.nodes.get(path)?.parent; n; n = n.parent) folded.delete(n.path);
  };
  const picture = new Picture({ onopen: open, onfold: fold });

  let queued = false;
  const draw = () => {
    if (queued || signal.aborted) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      if (signal.aborted) return;
      picture.draw(model, folded, illOnly, opened, (path) => watch.progress(path));
      fill(strip, verdict(model, watch));
      fill(wrong, problems(model, open));
      fill(work, jobs(watch));
      details.tell(model.nodes.get(opened));
    });
  };

  stage.append(picture.el);
  drag(stage);
  stage.addEventListener("wheel", (e) => {
    if (!e.ctrlKey) return; // without Ctrl the wheel scrolls
    e.preventDefault();
    picture.zoom(picture.scale * (e.deltaY < 0 ? 1.15 : 1 / 1.15));
  }, { passive: false });
  const tools = h("div", { class: "row tools" },
    button("−", () => picture.zoom(picture.scale / 1.25), { label: "Smaller" }),
    button("+", () => picture.zoom(picture.scale * 1.25), { label: "Larger" }),
    button("Fit", () => picture.fit(stage.clientWidth, stage.clientHeight)),
    button("Unfold all", () => { folded = new Set(); draw(); }),
    h("label", { class: "row" }, h("input", { type: "checkbox", on: { change: (e) => { illOnly = e.target.checked; draw(); } } }), "Only what is not well"),
    h("span", { class: "spring" }),
    search(model, signal, (place) => {
      const path = place.node ? join(place.path, place.id) : place.path;
      const at = known(model, path);
      open(at);
      picture.focusOn(at);
    }));
  const legend = h("p", { class: "row muted legend" }, ["up", "lag", "down", "unknown"].map((kind) => state(kind, kind === "lag" ? "behind, or minions down" : words[kind])), h("span", null, "lines that move: a job runs down, returns come back"));

  root.append(strip, lost, h("div", { class: "treegrid" }, h("div", { class: "stack" }, tools, stage, legend), h("div", { class: "stack side" }, wrong, work, details.el)));
  draw();
  requestAnimationFrame(() => { // after the first drawing: a tall tree starts in the middle
    if (picture.size.width * nearly < stage.clientWidth && picture.size.height * nearly < stage.clientHeight) picture.fit(stage.clientWidth, stage.clientHeight);
    const { x, y } = picture.middle(opened);
    stage.scrollTop = y - stage.clientHeight / 2;
    stage.scrollLeft = opened ? x - stage.clientWidth / 2 : 0;
  });
  details.open(model.nodes.get(opened));
  watch.start(signal);
  refresh();

  async function refresh() {
    while (!signal.aborted) {
      await pause(every, signal);
      if (document.hidden || signal.aborted) continue;
      try {
        model = await fetchTree(signal);
        opened = known(model, opened);
        fill(lost);
        draw();
      } catch (err) {
        if (signal.aborted || err.status === 401) return;
        fill(lost, alert(`What is shown may be old. ${err.message}`));
      }
    }
  }
}

// known is a path, or the nearest path above it in the tree.
function known(model, path) {
  for (;;) {
    if (model.nodes.has(path)) return path;
    if (!path.includes("/")) return "";
    path = path.slice(0, path.lastIndexOf("/"));
  }
}

function join(path, id) {
  return path ? `${path}/${id}` : id;
}

function pause(ms, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
  });
}

// drag moves the picture with the mouse; fingers scroll.
function drag(stage) {
  let from = null;
  stage.addEventListener("pointerdown", (e) => {
    if (e.pointerType !== "mouse" || e.button !== 0 || e.target.closest("[role=treeitem], a")) return;
    from = { x: e.clientX + stage.scrollLeft, y: e.clientY + stage.scrollTop };
    stage.setPointerCapture(e.pointerId);
  });
  stage.addEventListener("pointermove", (e) => {
    if (!from) return;
    stage.scrollLeft = from.x - e.clientX;
    stage.scrollTop = from.y - e.clientY;
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { from = null; });
}

// search finds nodes and minions by the beginning of their ids.
function search(model, signal, choose) {
  const box = field({ label: "Search nodes and minions", name: "search", type: "search", placeholder: "beginning of an id" });
  const found = h("ul", { class: "found", role: "list", "aria-label": "Found", hidden: true });
  const input = box.querySelector("input");
  let asked = 0;
  input.addEventListener("input", async () => {
    const text = input.value.trim();
    const mine = ++asked;
    await pause(180, signal);
    if (mine !== asked || signal.aborted) return;
    found.hidden = !text;
    if (!text) return;
    try {
      const places = await find(text, { prefix: true, signal });
      if (mine !== asked) return;
      fill(found, places.length ? places.slice(0, 20).map((p) => h("li", null, h("a", {
        href: p.node ? `#/tree/${join(p.path, p.id)}` : `#/minion/${encodeURIComponent(p.id)}?path=${encodeURIComponent(p.path)}`,
        on: { click: (e) => { if (p.node) { e.preventDefault(); found.hidden = true; choose(p); } } },
      }, p.id), " ", state(p.state === "up" || p.state === "down" ? p.state : "unknown", p.node ? "node" : "minion"), h("span", { class: "muted" }, p.path || model.top.id))) : h("li", { class: "muted" }, "Nothing begins so."));
    } catch (err) {
      if (!signal.aborted) fill(found, h("li", null, alert(err.message)));
    }
  });
  input.addEventListener("keydown", (e) => {
    if (e.key === "Escape") found.hidden = true;
    if (e.key === "ArrowDown") { e.preventDefault(); found.querySelector("a")?.focus(); }
    if (e.key === "Enter") found.querySelector("a")?.click();
  });
  return h("div", { class: "searchbox", role: "search" }, box, found);
}
