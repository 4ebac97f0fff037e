// Figures and times in readable form.

const numbers = new Intl.NumberFormat("en-US");

// count is 12,345.
export function count(n) {
  return numbers.format(n || 0);
}

// plural is a number with its noun.
export function plural(n, word, many = `${word}s`) {
  return `${count(n)} ${n === 1 ? word : many}`;
}

// seconds is a duration: 14 ms, 0.4 s, 12 s, 3 m 12 s, 5 h 2 m, 3 d 4 h.
export function seconds(s) {
  if (!(s >= 0)) return "–";
  if (s > 0 && s < 0.1) return `${Math.max(1, Math.round(s * 1000))} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  s = Math.round(s);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} m ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} m`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

// age is the time since a moment.
export function age(at) {
  const t = at instanceof Date ? at.getTime() : Date.parse(at);
  return Number.isNaN(t) ? "–" : seconds(Math.max(0, (Date.now() - t) / 1000));
}

const two = (n) => String(n).padStart(2, "0");

// when is a moment in the reader's time zone.
export function when(at) {
  const d = at instanceof Date ? at : new Date(at);
  if (Number.isNaN(d.getTime())) return "–";
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

// bytes is a size.
export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return `${i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

// jidTime returns the moment in a job id, which masters write in UTC; null for another text.
export function jidTime(jid) {
  const m = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{3})/.exec(jid);
  return m ? new Date(Date.UTC(+m[1], m[2] - 1, +m[3], +m[4], +m[5], +m[6], +m[7])) : null;
}

// json is a value as indented JSON.
export function json(v) {
  return JSON.stringify(v, null, 2) ?? "null";
}
