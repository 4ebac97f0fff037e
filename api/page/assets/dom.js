// Elements made of data. Text becomes text nodes only, so that the text of a minion is never
// read as markup.

const SVG = "http://www.w3.org/2000/svg";

// h makes an HTML element. props are class, text, on: {event: listener}, data: {name: value},
// and any attribute; false, null and undefined omit an attribute, true sets it empty.
export function h(tag, props, ...children) {
  return furnish(document.createElement(tag), props, children);
}

// svg is h in the namespace of SVG.
export function svg(tag, props, ...children) {
  return furnish(document.createElementNS(SVG, tag), props, children);
}

function furnish(el, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") el.setAttribute("class", value);
    else if (name === "text") el.textContent = value;
    else if (name === "on") for (const [event, f] of Object.entries(value)) el.addEventListener(event, f);
    else if (name === "data") for (const [key, v] of Object.entries(value)) el.dataset[key] = v;
    else if (name === "value") el.value = value;
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  append(el, children);
  return el;
}

function append(el, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(el, child);
    else el.append(child);
  }
}

// fill replaces the children of an element.
export function fill(el, ...children) {
  el.replaceChildren();
  append(el, children);
  return el;
}

// setText writes only a changed text, so that the rest of the page is not laid out again.
export function setText(el, text) {
  const s = String(text);
  if (el.textContent !== s) el.textContent = s;
}

// table shows rows of cells. A cell is a text, an element, or a list of them.
export function table({ caption, columns, rows, empty }) {
  const head = h("tr", null, columns.map((c) => h("th", { scope: "col", class: c.align === "right" ? "num" : null }, c.name)));
  const body = rows.map((cells) => h("tr", null, cells.map((cell, i) => h("td", { class: columns[i].align === "right" ? "num" : null }, cell))));
  if (!rows.length) body.push(h("tr", null, h("td", { colspan: columns.length, class: "muted" }, empty || "Nothing is here.")));
  return h("div", { class: "tablewrap", tabindex: 0, role: "group", "aria-label": caption },
    h("table", null, h("caption", { class: "visually-hidden" }, caption), h("thead", null, head), h("tbody", null, body)));
}

let fields = 0;

// field is a labelled input. list has words that the browser may suggest.
export function field({ label, name, type = "text", value = "", placeholder, hint, list, required, autocomplete }) {
  const id = `field-${++fields}`;
  const input = h("input", {
    id, name, type, value, placeholder, required, autocomplete: autocomplete || "off", spellcheck: "false", autocapitalize: "none",
    list: list ? `${id}-list` : null, "aria-describedby": hint ? `${id}-hint` : null,
  });
  return h("div", { class: "field" },
    h("label", { for: id }, label), input,
    hint ? h("span", { id: `${id}-hint`, class: "muted hint" }, hint) : null,
    list ? h("datalist", { id: `${id}-list` }, list.map((v) => h("option", { value: v }))) : null);
}

// choice is a labelled list of options, pairs of value and text.
export function choice({ label, name, options, value }) {
  const id = `field-${++fields}`;
  const select = h("select", { id, name }, options.map(([v, text]) => h("option", { value: v }, text)));
  if (value !== undefined && value !== null) select.value = value;
  return h("div", { class: "field" }, h("label", { for: id }, label), select);
}

// button is a button; kind is primary, danger or plain.
export function button(text, onclick, { kind = "plain", label, type = "button" } = {}) {
  const look = { primary: "btn btn-primary", danger: "btn btn-danger", plain: "btn" }[kind];
  return h("button", { type, class: look, "aria-label": label, on: onclick ? { click: onclick } : null }, text);
}

// The looks of the states. They differ in form as well as in colour, for people who cannot
// distinguish the colours, and for paper.
const forms = { up: "●", ok: "✔", down: "✖", fail: "✖", lag: "▲", wait: "◷", run: "▶", gone: "◌", unknown: "?" };

// state is a badge: up, down, lag, unknown, ok, fail, wait, run, or gone for a missing minion.
export function state(kind, text) {
  return h("span", { class: `badge badge-${kind}` }, h("span", { "aria-hidden": "true", class: "form" }, forms[kind] || "?"), text);
}

// alert shows an error.
export function alert(text) {
  return h("div", { role: "alert", class: "alert" }, text);
}

// note shows a hint.
export function note(text) {
  return h("p", { class: "note" }, text);
}

// busy shows that the page waits.
export function busy(text) {
  return h("p", { role: "status", class: "muted busy" }, text);
}

// download offers a text as a file.
export function download(name, text, type = "application/json") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// virtualList shows the visible rows of a long list, each of rowHeight pixels, so that 100,000
// rows cost as much as 40. render returns the element of a row.
export function virtualList({ rows, rowHeight = 28, height = 360, render, label, empty }) {
  const inner = h("div", { class: "vl-inner", role: "presentation" });
  const el = h("div", { class: "vl", tabindex: 0, role: "list", "aria-label": label }, inner);
  el.style.maxHeight = `${height}px`;
  let drawn = "";
  function draw(force) {
    const view = el.clientHeight || height;
    const from = Math.max(0, Math.floor(el.scrollTop / rowHeight) - 4);
    const to = Math.min(rows.length, Math.ceil((el.scrollTop + view) / rowHeight) + 4);
    const key = `${from}:${to}`;
    if (!force && key === drawn) return;
    drawn = key;
    inner.style.height = `${Math.max(rows.length, 1) * rowHeight}px`;
    if (!rows.length) {
      const item = h("div", { class: "vl-row muted", role: "listitem" }, empty || "Nothing is here.");
      item.style.height = `${rowHeight}px`;
      fill(inner, item);
      return;
    }
    fill(inner, rows.slice(from, to).map((row, i) => {
      const item = h("div", { class: "vl-row", role: "listitem", "aria-setsize": rows.length, "aria-posinset": from + i + 1 }, render(row));
      item.style.top = `${(from + i) * rowHeight}px`;
      item.style.height = `${rowHeight}px`;
      return item;
    }));
  }
  el.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), { passive: true });
  el.update = (next) => {
    const before = el.clientHeight;
    rows = next;
    draw(true);
    if (el.clientHeight > before) draw(true); // it has grown, and more rows fit
  };
  el.shown = () => rows;
  draw(true);
  return el;
}
