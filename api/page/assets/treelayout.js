// Where the nodes of a tree stand in the picture: tiers from left to right, leaves one
// below the other, parents in the middle of their children. Pure: the same tree gives the
// same picture.

export const box = { width: 214, height: 32, gapX: 54, gapY: 8, margin: 12 };

// layout places what is not folded away: {places: [{node, x, y, folded, hidden}], width,
// height}, in the order of reading. illOnly leaves out what is well with all below it;
// hidden is how many children of a node that are.
export function layout(model, folded, illOnly) {
  const places = [];
  let leaf = 0;
  let depth = 0;
  const put = (node) => {
    const children = illOnly ? node.children.filter((c) => c.health !== "up" || c.worst !== "up") : node.children;
    const closed = children.length > 0 && folded.has(node.path);
    const place = { node, x: box.margin + (node.level - 1) * (box.width + box.gapX), y: 0, folded: closed, hidden: node.children.length - children.length };
    places.push(place);
    depth = Math.max(depth, node.level);
    if (closed || children.length === 0) {
      place.y = box.margin + leaf++ * (box.height + box.gapY);
      return place;
    }
    const below = children.map(put);
    place.y = (below[0].y + below[below.length - 1].y) / 2;
    return place;
  };
  put(model.top);
  return {
    places,
    width: 2 * box.margin + depth * box.width + (depth - 1) * box.gapX,
    height: 2 * box.margin + leaf * box.height + (leaf - 1) * box.gapY,
  };
}

// edge is the line from a parent's box to a child's.
export function edge(from, to) {
  const x1 = from.x + box.width;
  const y1 = from.y + box.height / 2;
  const y2 = to.y + box.height / 2;
  const bend = (to.x - x1) / 2;
  return `M${x1},${y1}C${x1 + bend},${y1} ${to.x - bend},${y2} ${to.x},${y2}`;
}

// foldedAtFirst folds what is well in a tree too large to be seen whole: nodes deep down
// first, never one on the way to a node that is not well.
export function foldedAtFirst(model, most = 260) {
  const folded = new Set();
  let shown = model.nodes.size;
  const ill = new Set();
  for (const node of model.nodes.values()) {
    if (node.health === "up") continue;
    for (let n = node.parent; n && !ill.has(n); n = n.parent) ill.add(n);
  }
  const inner = [...model.nodes.values()].filter((n) => n.children.length > 0 && n.level > 1 && !ill.has(n));
  inner.sort((a, b) => b.level - a.level);
  for (const node of inner) {
    if (shown <= most) break;
    folded.add(node.path);
    shown -= node.children.length;
  }
  return folded;
}
