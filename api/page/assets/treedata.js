// The tree of the API, indexed by the paths of its nodes, with totals for each node.

import { get, run } from "./api.js";

// Above these limits a node that is up is shown as lagging: seconds until it answers, and the
// age in seconds of what is pending for its parent or SQL.
const lagTime = 2;
const owedTime = 10;

// encode is a path as it appears in a URL.
export function encode(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

// mostDrawn is the number of minions in the whole tree up to which each is drawn.
const mostDrawn = 60;
let few = false; // the previous tree had no more minions

// fetchTree requests the tree, with the minions of a small one and with counts for a large one.
export async function fetchTree(signal) {
  for (;;) {
    const whole = few;
    const { tree, problems = [] } = await get(whole ? "tree" : "tree?minions=count", { signal });
    const model = index(tree, problems, whole);
    few = model.top.all.minions <= mostDrawn;
    if (whole || !few || !model.top.all.minions) return model;
  }
}

// index makes a model of a tree: nodes by path, "" for the top, parents first.
export function index(tree, problems, whole = false) {
  const nodes = new Map();
  const add = (raw, path, level, parent) => {
    const own = raw.own || counted(raw.minions || []);
    const node = {
      id: raw.id, path, level, parent, role: raw.role, version: raw.version, since: raw.since, vitals: raw.vitals || null,
      minions: whole ? sorted(raw.minions || []) : [], own, health: health(raw), shown: "up", worst: "up", children: [], all: { nodes: 0, nodesUp: 0, minions: own.minions, up: own.up, down: own.down, unknown: own.unknown },
    };
    // A node that is up but has minions that are down is not shown as well.
    node.shown = node.health === "up" && own.down ? "lag" : node.health;
    nodes.set(path, node);
    for (const child of raw.nodes || []) {
      const below = add(child, path ? `${path}/${child.id}` : child.id, level + 1, node);
      node.children.push(below);
      node.worst = worse(node.worst, worse(below.shown, below.worst));
      node.all.nodes += 1 + below.all.nodes;
      node.all.nodesUp += (below.health === "down" || below.health === "unknown" ? 0 : 1) + below.all.nodesUp;
      for (const key of ["minions", "up", "down", "unknown"]) node.all[key] += below.all[key];
    }
    return node;
  };
  const top = add(tree, "", 1, null);
  return { top, nodes, problems };
}

// sorted puts nodes with problems first.
function sorted(minions) {
  const rank = (m) => (m.state === "down" ? 0 : m.state === "up" ? 2 : 1);
  return [...minions].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

// worse is the worse of two states.
function worse(a, b) {
  const order = ["up", "unknown", "lag", "down"];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

function counted(minions) {
  const own = { minions: minions.length, up: 0, down: 0, unknown: 0 };
  for (const m of minions) own[m.state === "up" || m.state === "down" ? m.state : "unknown"]++;
  return own;
}

function health(raw) {
  if (raw.state !== "up") return raw.state === "down" ? "down" : "unknown";
  const v = raw.vitals;
  return v && (v.lag > lagTime || (v.owed > 0 && v.owed_age > owedTime)) ? "lag" : "up";
}

// words are the names of the states.
export const words = { up: "up", down: "down", lag: "behind", unknown: "not known" };

// stateWords describes the state of a node, with its own minions that are down.
export function stateWords(node) {
  return node.health === "up" && node.own.down ? `up, ${node.own.down} of its minions down` : words[node.health];
}

// fetchMinions requests the minions of one node.
export async function fetchMinions(node, signal) {
  const { tree } = await get(`tree/${encode(node.path || node.id)}?depth=1`, { signal });
  return tree.minions;
}

// find searches minions and nodes whose ids begin with a text: a list of {id, path, node, state,
// version}. path names the nodes above, without the master.
export async function find(text, { prefix = false, signal } = {}) {
  const answer = await get(`tree?find=${encodeURIComponent(text)}${prefix ? "&prefix=yes" : ""}`, { signal });
  return answer.return[0].places;
}

// findMinion returns the place of a minion, or null: {id, state, version, path: [nodes]}.
export async function findMinion(id, { signal } = {}) {
  const place = (await find(id, { signal })).find((p) => !p.node && p.id === id);
  return place ? { id, state: place.state, version: place.version, path: place.path ? place.path.split("/") : [] } : null;
}

// openJobs returns the ids of the running jobs that the user may see.
export async function openJobs(signal) {
  try {
    return Object.keys(await run({ client: "runner", fun: "jobs.active" }, { signal }) || {});
  } catch (err) {
    if (err.status === 401 && signal.aborted) throw err;
    return []; // without permission, only jobs that start from now on are shown
  }
}
