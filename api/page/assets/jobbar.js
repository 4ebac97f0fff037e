// The bar of a job: minions that have returned, failed, are missing, or are awaited. The parts
// differ in form as well as in colour, and a missing minion never looks returned.

import { h } from "./dom.js";
import { count } from "./format.js";

const parts = ["returned", "failed", "missing", "waiting"];

// jobBar makes a bar; tell draws an account of GET jobs/JID/status.
export function jobBar(label) {
  const made = parts.map((name) => h("span", { class: `jobbar-${name}`, hidden: true }));
  const el = h("div", { class: "jobbar", role: "progressbar", "aria-label": label, "aria-valuemin": "0" }, made);
  return { el, tell: (status) => tell(el, made, status) };
}

function tell(el, made, status) {
  const { expected = 0, returned = 0, failed = 0, missing_count: missing = 0 } = status;
  const waiting = status.complete ? 0 : Math.max(expected - returned - failed - missing, 0);
  [returned, failed, missing, waiting].forEach((n, i) => {
    made[i].hidden = !n;
    made[i].style.flex = `${n} 1 4px`; // one of 100,000 must be visible too
  });
  el.setAttribute("aria-valuemax", String(expected));
  el.setAttribute("aria-valuenow", String(Math.min(returned + failed, expected)));
  el.setAttribute("aria-valuetext", said({ expected, returned, failed, missing }));
}

function said({ expected, returned, failed, missing }) {
  return [`${count(returned + failed)} of ${count(expected)} answered`, failed ? `${count(failed)} failed` : "", missing ? `${count(missing)} missing` : ""].filter(Boolean).join(", ");
}
