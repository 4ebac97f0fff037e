// The places of the nodes in the picture: tiers from left to right, leaves one below the other,
// parents in the middle of their children. It is pure: the same tree gives the same picture.

export const box = { width: 214, height: 32, gapX: 54, gapY: 8, margin: 12 };
export const leaf = { width: 170, height: 22, gapY: 4 };

// layout places what is not folded: {places: [{node, x, y, folded, hidden}], leaves: [{minion,
// node, x, y}], width, height}, in reading order. illOnly leaves out nodes without problems at
// or below them; hidden is the number of such children. Minions follow their node in a model
// that has them.
export function layout(model, folded, illOnly) {
  const places = [];
  const leaves = [];
  let next = box.margin; // top of the next row
  let right = 0;
  const put = (node) => {
    const children = illOnly ? node.children.filter((c) => c.shown !== "up" || c.worst !== "up") : node.children;
    const closed = children.length > 0 && folded.has(node.path);
    const place = { node, x: box.margin + (node.level - 1) * (box.width + box.gapX), y: 0, folded: closed, hidden: node.children.length - children.length };
    places.push(place);
    right = Math.max(right, place.x + box.width);
    const minions = closed ? [] : node.minions.filter((m) => !illOnly || m.state !== "up");
    if (closed || children.length + minions.length === 0) {
      place.y = next;
      next += box.height + box.gapY;
      return place;
    }
    const middles = putMinions(node, minions, place.x + box.width + box.gapX, children.length === 0);
    for (const child of children) middles.push(put(child).y + box.height / 2);
    place.y = (middles[0] + middles[middles.length - 1]) / 2 - box.height / 2;
    return place;
  };
  // putMinions returns the middles of the rows of minions. A node with only these needs the
  // room of its own box.
  const putMinions = (node, minions, x, alone) => {
    const start = next;
    const all = minions.length * (leaf.height + leaf.gapY) - leaf.gapY;
    if (alone) next += Math.max(0, (box.height - all) / 2);
    const middles = minions.map((minion) => {
      leaves.push({ minion, node, x, y: next });
      right = Math.max(right, x + leaf.width);
      next += leaf.height + leaf.gapY;
      return next - leaf.gapY - leaf.height / 2;
    });
    if (minions.length) next += box.gapY - leaf.gapY;
    if (alone) next = Math.max(next, start + box.height + box.gapY);
    return middles;
  };
  put(model.top);
  return { places, leaves, width: right + box.margin, height: next - box.gapY + box.margin };
}

// edge is the line from the box of a parent to that of a child, or to a minion's of another
// height.
export function edge(from, to, height = box.height) {
  const x1 = from.x + box.width;
  const y1 = from.y + box.height / 2;
  const y2 = to.y + height / 2;
  const bend = (to.x - x1) / 2;
  return `M${x1},${y1}C${x1 + bend},${y1} ${to.x - bend},${y2} ${to.x},${y2}`;
}

// foldedAtFirst folds nodes without problems in a tree too large to show: deep ones first, never
// one on the way to a problem.
export function foldedAtFirst(model, most = 260) {
  const folded = new Set();
  let shown = model.nodes.size;
  const ill = new Set();
  for (const node of model.nodes.values()) {
    if (node.shown === "up") continue;
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
