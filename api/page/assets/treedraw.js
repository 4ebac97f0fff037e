// The picture of the tree. Boxes and lines stay between drawings and only changes are written,
// so that 200 nodes can be redrawn every second.

import { setText, svg } from "./dom.js";
import { count, plural } from "./format.js";
import { stateWords, words } from "./treedata.js";
import { box, edge, layout, leaf } from "./treelayout.js";

const marks = { up: "●", down: "✖", lag: "▲", unknown: "?" };
const longest = 17; // letters of an id that fit into a box
const largest = 1.8; // the largest scale of a small tree

// Picture draws a model into an SVG element. It calls onopen with the path of a node that the
// reader opens, and onfold with that of one that is folded or unfolded.
export class Picture {
  constructor({ onopen, onfold }) {
    this.onopen = onopen;
    this.onfold = onfold;
    this.boxes = new Map();
    this.lines = new Map();
    this.leaves = new Map();
    this.scale = 1;
    this.focus = "";
    this.lineLayer = svg("g", { class: "lines", "aria-hidden": "true" });
    this.boxLayer = svg("g", { role: "presentation" });
    this.leafLayer = svg("g");
    this.tree = svg("g", { role: "tree", "aria-label": "Tree of masters", on: { keydown: (e) => this.key(e) } }, this.lineLayer, this.boxLayer);
    this.el = svg("svg", null, this.tree, this.leafLayer);
  }

  // draw draws a model; progress returns the state of the running jobs at a path.
  draw(model, folded, illOnly, opened, progress) {
    this.model = model;
    const { places, leaves, width, height } = layout(model, folded, illOnly);
    this.places = places;
    this.size = { width, height };
    this.zoom(this.scale);
    const at = new Map(places.map((p) => [p.node.path, p]));
    if (!at.has(this.focus)) this.focus = "";
    for (const [path, { el }] of this.boxes) if (!at.has(path)) { el.remove(); this.boxes.delete(path); }
    for (const [path, el] of this.lines) if (!at.has(path)) { el.remove(); this.lines.delete(path); }
    places.forEach((place, i) => this.place(place, i, at, opened, progress(place.node.path)));
    this.drawLeaves(leaves, at);
  }

  // drawLeaves draws minions, each a link to its view.
  drawLeaves(leaves, at) {
    const keys = new Set(leaves.map(leafKey));
    for (const [key, l] of this.leaves) if (!keys.has(key)) { l.el.remove(); this.leaves.delete(key); }
    leaves.forEach((place, i) => {
      const { minion, node } = place;
      const key = leafKey(place);
      const kind = minion.state === "up" || minion.state === "down" ? minion.state : "unknown";
      let l = this.leaves.get(key);
      if (!l) this.leaves.set(key, l = newLeaf(minion, node));
      if (this.leafLayer.children[i] !== l.el) this.leafLayer.insertBefore(l.el, this.leafLayer.children[i] || null);
      set(l.el, "data-state", kind);
      set(l.el, "aria-label", `${minion.id}: ${words[kind]}`);
      set(l.box, "transform", `translate(${place.x},${place.y})`);
      set(l.line, "d", edge(at.get(node.path), place, leaf.height));
      setText(l.mark, marks[kind]);
    });
  }

  place(place, i, at, opened, job) {
    const { node } = place;
    let b = this.boxes.get(node.path);
    if (!b) this.boxes.set(node.path, b = this.box(node.path));
    // The order of the elements is the reading order.
    if (this.boxLayer.children[i] !== b.el) this.boxLayer.insertBefore(b.el, this.boxLayer.children[i] || null);
    set(b.el, "transform", `translate(${place.x},${place.y})`);
    set(b.el, "data-state", node.shown);
    set(b.el, "aria-level", node.level);
    set(b.el, "aria-selected", node.path === opened);
    set(b.el, "tabindex", node.path === this.focus ? 0 : -1);
    set(b.el, "aria-label", label(node));
    if (node.children.length) set(b.el, "aria-expanded", !place.folded);
    else b.el.removeAttribute("aria-expanded");
    setText(b.mark, marks[node.shown]);
    setText(b.name, node.id.length > longest ? `${node.id.slice(0, longest - 1)}…` : node.id);
    const shown = place.folded || place.hidden ? node.all : node.own;
    setText(b.figures, shown.minions ? (shown.up === shown.minions ? count(shown.minions) : `${count(shown.up)}/${count(shown.minions)}`) : "");
    set(b.figures, "x", box.width - (node.children.length ? 26 : 8));
    // Problems below a folded node must be visible.
    const hides = place.folded && node.worst !== "up";
    setText(b.fold, node.children.length > place.hidden ? (hides ? "+!" : place.folded ? "+" : "−") : "");
    set(b.fold, "class", hides ? `fold hides-${node.worst}` : "fold");
    set(b.job, "width", job ? Math.round((box.width - 2) * job.done) : 0);
    set(b.el, "data-job", job ? job.way : "");
    if (!node.parent) return;
    let line = this.lines.get(node.path);
    if (!line) {
      this.lines.set(node.path, line = svg("path"));
      this.lineLayer.append(line);
    }
    set(line, "d", edge(at.get(node.parent.path), place));
    set(line, "class", `line-${node.health}${job ? ` job-${job.way}` : ""}`);
  }

  box(path) {
    const mark = svg("text", { x: 10, y: 21, class: "mark" });
    const name = svg("text", { x: 28, y: 21, class: "name" });
    const figures = svg("text", { y: 21, class: "figures" });
    const fold = svg("text", { x: box.width - 13, y: 21, class: "fold" });
    const job = svg("rect", { x: 1, y: box.height - 4, height: 3, width: 0, class: "job" });
    const el = svg("g", {
      role: "treeitem", data: { path, id: path.split("/").pop() || this.model.top.id }, class: "box",
      on: {
        click: (e) => {
          this.focus = path;
          if (e.target === fold) this.onfold(path);
          else this.onopen(path);
        },
        focus: () => { this.focus = path; },
      },
    }, svg("rect", { width: box.width, height: box.height, rx: 6, class: "ground" }), mark, name, figures, fold, job);
    return { el, mark, name, figures, fold, job };
  }

  // key moves in the tree like the WAI-ARIA pattern for trees.
  key(e) {
    const i = this.places.findIndex((p) => p.node.path === this.focus);
    const place = this.places[i];
    if (!place || e.ctrlKey || e.metaKey || e.altKey) return;
    const { node } = place;
    const go = (path) => this.focusOn(path);
    const open = node.children.length > place.hidden && !place.folded;
    const moves = {
      ArrowDown: () => i + 1 < this.places.length && go(this.places[i + 1].node.path),
      ArrowUp: () => i > 0 && go(this.places[i - 1].node.path),
      ArrowRight: () => (open ? go(this.places[i + 1].node.path) : place.folded && this.onfold(node.path)),
      ArrowLeft: () => (open ? this.onfold(node.path) : node.parent && go(node.parent.path)),
      Home: () => go(""),
      End: () => go(this.places[this.places.length - 1].node.path),
      Enter: () => this.onopen(node.path),
      " ": () => this.onopen(node.path),
    };
    if (!moves[e.key]) return;
    e.preventDefault();
    moves[e.key]();
  }

  focusOn(path) {
    const old = this.boxes.get(this.focus);
    if (old) set(old.el, "tabindex", -1);
    this.focus = path;
    const b = this.boxes.get(path);
    if (!b) return;
    set(b.el, "tabindex", 0);
    b.el.focus();
    b.el.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // zoom sets the scale of the picture; 1 is its natural size.
  zoom(scale) {
    this.scale = Math.min(2.5, Math.max(0.15, scale));
    const { width, height } = this.size;
    set(this.el, "viewBox", `0 0 ${width} ${height}`);
    set(this.el, "width", Math.round(width * this.scale));
    set(this.el, "height", Math.round(height * this.scale));
  }

  // fit scales the whole picture to a given room.
  fit(width, height) {
    this.zoom(Math.min(largest, (width - 4) / this.size.width, (height - 4) / this.size.height));
  }

  // middle is the middle of the box of a node, in pixels of the scaled picture.
  middle(path) {
    const place = this.places.find((p) => p.node.path === path) || this.places[0];
    return { x: (place.x + box.width / 2) * this.scale, y: (place.y + box.height / 2) * this.scale };
  }
}

function leafKey({ minion, node }) {
  return `${node.path}\n${minion.id}`;
}

function newLeaf(minion, node) {
  const mark = svg("text", { x: 8, y: 15, class: "mark" });
  const name = svg("text", { x: 23, y: 15 });
  setText(name, minion.id.length > longest ? `${minion.id.slice(0, longest - 1)}…` : minion.id);
  const ground = svg("rect", { width: leaf.width, height: leaf.height, rx: 4, class: "ground" });
  const box = svg("g", null, ground, mark, name);
  const line = svg("path", { class: "line", "aria-hidden": "true" });
  const el = svg("a", { class: "leaf", href: `#/minion/${encodeURIComponent(minion.id)}?path=${encodeURIComponent(node.path)}`, data: { minion: minion.id } }, line, box);
  return { el, box, line, mark };
}

function label(node) {
  return `${node.id}: ${stateWords(node)}, ${plural(node.all.nodes, "node")}, ${plural(node.all.minions, "minion")}, ${count(node.all.up)} up`;
}

// set writes an attribute if it changes.
function set(el, name, value) {
  const text = String(value);
  if (el.getAttribute(name) !== text) el.setAttribute(name, text);
}
