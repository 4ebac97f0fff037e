// Arguments as people write them, one a line, and as the API accepts them. Words are read as on
// Salt's command line: numbers, booleans, maps and lists have their types.

// A name, =, and no second =: Salt's rule for keyword arguments.
const named = /^([\p{L}_][\p{L}\p{N}_.-]*)=(?!=)(.*)$/su;

const words = new Map([["null", null], ["Null", null], ["NULL", null], ["~", null], ["None", null]]);
for (const [value, list] of [[true, ["true", "yes", "on"]], [false, ["false", "no", "off"]]]) {
  for (const word of list) for (const form of [word, word.toUpperCase(), word[0].toUpperCase() + word.slice(1)]) words.set(form, value);
}

// word returns the value of a text. Numbers that a page cannot hold exactly, such as job ids,
// stay texts.
function word(text) {
  const bare = text.trim();
  if (words.has(bare)) return words.get(bare);
  if (!/^[-\d"{[]/.test(bare)) return text;
  let value;
  try {
    value = JSON.parse(bare);
  } catch {
    return text;
  }
  return typeof value === "number" && (!Number.isFinite(value) || Number.isInteger(value) && !Number.isSafeInteger(value)) ? text : value;
}

// parse reads lines of arguments: {arg, kwarg, doubts}. doubts are lines that look like
// something other than what they were read as.
export function parse(text) {
  const arg = [];
  const kwarg = {};
  const doubts = [];
  text.split("\n").forEach((raw, i) => {
    const line = raw.replace(/\r$/, "");
    if (!line.trim()) return;
    const pair = named.exec(line.trim());
    const value = word(pair ? pair[2] : line);
    if (typeof value === "string" && /^\s*[[{"]/.test(value) && value === (pair ? pair[2] : line)) {
      doubts.push(`Line ${i + 1} begins like a map, a list or a quoted text but is not JSON; it is sent as text.`);
    }
    if (!pair) arg.push(value);
    else {
      if (Object.hasOwn(kwarg, pair[1])) doubts.push(`${pair[1]} is given twice; line ${i + 1} counts.`);
      Object.defineProperty(kwarg, pair[1], { value, enumerable: true, configurable: true, writable: true }); // __proto__ is an ordinary name
    }
  });
  return { arg, kwarg, doubts };
}

// plain writes a value so that word reads it again.
function plain(value) {
  const same = typeof value === "string" && value.trim() === value && value !== "" && !/[\r\n]/.test(value) && word(value) === value && !/^[[{"]/.test(value);
  return same ? value : JSON.stringify(value);
}

// lines writes the arguments of a job as parse reads them. Keyword arguments are in the list as
// a map with the key __kwarg__.
export function lines(args) {
  const out = [];
  for (const a of Array.isArray(args) ? args : [args]) {
    if (a && typeof a === "object" && a.__kwarg__ === true) {
      for (const [name, value] of Object.entries(a)) if (name !== "__kwarg__") out.push(`${name}=${plain(value)}`);
    } else if (typeof a === "string" && named.test(a)) out.push(a); // minions read it as a keyword argument too
    else out.push(plain(a));
  }
  return out;
}

// looksSecret reports whether a line should not be in an address or in the history of a browser.
function looksSecret(line) {
  return /pass(word|wd|phrase)?|secret|token|credential|api_?key|private_?key|auth_?key/i.test(line);
}

// runLink returns a link to the form of a call, filled in. It leaves out lines that look like
// secrets and passes their number.
export function runLink({ tgt, tgtType, fun, args = [] }) {
  const query = new URLSearchParams();
  query.set("tgt", Array.isArray(tgt) ? tgt.join(",") : String(tgt ?? ""));
  if (tgtType && tgtType !== "glob") query.set("tgt_type", tgtType);
  if (fun) query.set("fun", Array.isArray(fun) ? fun.join(",") : fun);
  const all = Array.isArray(fun) && fun.length > 1 ? args.map((a) => JSON.stringify(a)) : lines(args);
  const told = all.filter((line) => !looksSecret(line));
  for (const line of told) query.append("arg", line);
  if (told.length < all.length) query.set("left_out", String(all.length - told.length));
  return `#/run?${query}`;
}
