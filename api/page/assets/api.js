// What the page asks of the REST API that serves it. The session is a cookie that scripts
// cannot read; a page of another origin cannot use it (docs/guide/page.md).

// ApiError is an answer that is none.
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let signedOut = () => {};

// onSignedOut is called whenever the API no longer knows the session.
export function onSignedOut(f) {
  signedOut = f;
}

// waitTime is the longest that an answer is waited for.
const waitTime = 60_000;

async function ask(method, path, { body, headers, signal, quiet } = {}) {
  const limits = [AbortSignal.timeout(waitTime)];
  if (signal) limits.push(signal);
  let answer;
  try {
    answer = await fetch(path, {
      method, body, credentials: "same-origin", cache: "no-store", signal: AbortSignal.any(limits),
      headers: { Accept: "application/json", ...headers },
    });
  } catch (err) {
    if (signal?.aborted) throw err;
    if (err.name === "TimeoutError") throw new ApiError(0, "The API did not answer within a minute.");
    throw new ApiError(0, "The API cannot be reached. Is it running, and is the network up?");
  }
  const text = await answer.text();
  let value = null;
  try {
    value = text ? parse(text) : null;
  } catch {
    if (answer.ok) throw new ApiError(answer.status, "The API answered with something that is not JSON.");
  }
  if (answer.ok) return value;
  let { status } = answer;
  if (status === 401 && !quiet) {
    if (lost.includes(value?.return)) signedOut();
    else status = 403; // the session holds; its user may not do this
  }
  throw new ApiError(status, words(status, value));
}

// parse reads JSON as Python writes it: a minion may return NaN, which is shown as that word.
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) => (token[0] === '"' ? token : `"${token}"`)));
  }
}

// lost is what the API says to whoever has no session, in the manner of either of Salt's
// servers. Whoever may not do something is answered by 401 as well.
const lost = ["No permission -- see authorization schemes", "Please log in"];

function words(status, value) {
  const said = value && (value.return ?? value.error ?? value.message);
  if (typeof said === "string" && said) return said;
  return { 401: "Please log in.", 403: "You may not do this.", 404: "There is no such thing.", 503: "The master does not answer." }[status] || `The API answered with status ${status}.`;
}

// get asks for a path and gives its JSON.
export function get(path, { signal } = {}) {
  return ask("GET", path, { signal });
}

// post sends JSON and gives the JSON of the answer.
export function post(path, body, { signal, headers } = {}) {
  return ask("POST", path, { signal, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } });
}

// session asks whether there is one, and shows the login if there is none.
export async function session({ signal } = {}) {
  await ask("GET", "whoami", { signal });
}

// logins names the login services of the master, as far as the API knows them.
export async function logins() {
  try {
    const { logins: names } = await ask("GET", new URL("logins.json", import.meta.url), { quiet: true });
    return names.filter((name) => typeof name === "string");
  } catch {
    return []; // the reader writes the name
  }
}

// login begins a session; its token stays in the cookie.
export async function login(username, password, eauth) {
  await ask("POST", "login", { quiet: true, body: JSON.stringify({ username, password, eauth }), headers: { "Content-Type": "application/json" } });
}

// run runs one chunk of low data and gives its result.
export async function run(chunk, { signal } = {}) {
  const answer = await post(".", [chunk], { signal });
  const [wrong] = answer.errors || [];
  if (wrong) throw new ApiError(wrong.status, String(answer.return?.[0] ?? wrong.message ?? "It failed."));
  return answer.return[0];
}

// events opens a stream of server-sent events. onevent gets tag, data and id of each;
// onstate "open", "retry" when it is being reconnected, "ended" when the API has ended it.
// Browsers reconnect by themselves with the id of the last event, and get what they missed.
export function events(path, { onevent, onstate = () => {} }, signal) {
  const source = new EventSource(path);
  const close = () => source.close();
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted) close();
  source.onopen = () => onstate("open");
  source.onerror = () => {
    const over = source.readyState === EventSource.CLOSED;
    onstate(over ? "ended" : "retry");
    if (over && !signal?.aborted) session({ signal }).catch(() => {});
  };
  source.onmessage = (e) => {
    let said;
    try {
      said = parse(e.data);
    } catch {
      return; // what cannot be read is not shown
    }
    const tag = said.tag || "";
    if (tag === "mom/api/end") {
      close();
      onstate("ended", said.data?.reason);
    }
    onevent(tag, said.data || {}, e.lastEventId);
  };
  return close;
}
