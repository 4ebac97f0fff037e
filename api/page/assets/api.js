// The requests of the page to the REST API that serves it. The session is a cookie that scripts
// cannot read and that pages of other origins cannot use (docs/guide/page.md).

// ApiError is an answer with an error.
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let signedOut = () => {};

// onSignedOut is called when the API no longer knows the session.
export function onSignedOut(f) {
  signedOut = f;
}

// waitTime is the longest wait for an answer.
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
    else status = 403; // the session is valid; its user may not do this
  }
  throw new ApiError(status, words(status, value));
}

// parse reads JSON as Python writes it: NaN and Infinity become those words.
export function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) => (token[0] === '"' ? token : `"${token}"`)));
  }
}

// lost are the texts for a request without a session, in either dialect. A request without
// permission gets 401 too.
const lost = ["No permission -- see authorization schemes", "Please log in"];

function words(status, value) {
  const said = value && (value.return ?? value.error ?? value.message);
  if (typeof said === "string" && said) return said;
  return { 401: "Please log in.", 403: "You may not do this.", 404: "Not found.", 503: "The master does not answer." }[status] || `The API answered with status ${status}.`;
}

// get returns the JSON of a path.
export function get(path, { signal } = {}) {
  return ask("GET", path, { signal });
}

// post sends JSON and returns the JSON of the answer.
export function post(path, body, { signal, headers } = {}) {
  return ask("POST", path, { signal, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } });
}

// session returns the session, and shows the login if it is missing.
export async function session({ signal } = {}) {
  await ask("GET", "whoami", { signal });
}

// logins returns the login services of the master that the API knows.
export async function logins() {
  try {
    const { logins: names } = await ask("GET", new URL("logins.json", import.meta.url), { quiet: true });
    return names.filter((name) => typeof name === "string");
  } catch {
    return []; // the reader types the name
  }
}

// login starts a session; its token stays in the cookie.
export async function login(username, password, eauth) {
  await ask("POST", "login", { quiet: true, body: JSON.stringify({ username, password, eauth }), headers: { "Content-Type": "application/json" } });
}

// run runs one chunk of low data and returns its result.
export async function run(chunk, { signal } = {}) {
  const answer = await post(".", [chunk], { signal });
  const [wrong] = answer.errors || [];
  if (wrong) throw new ApiError(wrong.status, String(answer.return?.[0] ?? wrong.message ?? "It failed."));
  return answer.return[0];
}

// events opens a stream of server-sent events. It calls onevent with the tag, data and id of
// each, and onstate with "open", "retry" while it reconnects, or "ended" when the API has ended
// it. Browsers reconnect with the id of the last event and get what they missed.
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
      return; // unreadable events are not shown
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
