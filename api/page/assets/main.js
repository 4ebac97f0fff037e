// The frame of the page: the view in the address, the session, the colours.

import * as api from "./api.js";
import { alert, button, busy, field, fill, h } from "./dom.js";

const views = {
  tree: () => import("./treeview.js"),
  jobs: () => import("./jobs.js"),
  job: () => import("./job.js"),
  run: () => import("./run.js"),
  keys: () => import("./keys.js"),
  events: () => import("./events.js"),
  minion: () => import("./minion.js"),
};

// under is the link in the head that a view belongs to.
const under = { job: "jobs", minion: "tree" };

const root = document.getElementById("view");
const logoutButton = document.getElementById("logout");
let leave = new AbortController();

// address parses "#/job/2026…?tab=json" into a view, its parts and its query.
function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...params] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { name: views[name] ? name : "tree", params: params.filter(Boolean), query: new URLSearchParams(query) };
}

async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const { name, params, query } = address();
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.hash === `#/${under[name] || name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const section = h("section", { class: `stack view-${name}` });
  fill(root, section);
  fill(section, busy("Loading …"));
  try {
    await api.session({ signal });
    const view = await views[name]();
    if (signal.aborted) return;
    document.title = `${view.title} · mom`;
    fill(section);
    await view.show(section, params, signal, query);
    logoutButton.hidden = false;
  } catch (err) {
    if (signal.aborted) return;
    if (err instanceof api.ApiError && err.status === 401) return; // the login is shown
    section.append(alert(err.message), h("div", null, button("Try again", show)));
  }
}

// askLogin shows the login form in place of the view.
function askLogin() {
  leave.abort();
  logoutButton.hidden = true;
  document.title = "Log in · mom";
  const user = field({ label: "User", name: "username", required: true, autocomplete: "username", value: localStorage.getItem("mom.user") || "" });
  const password = field({ label: "Password", name: "password", type: "password", required: true, autocomplete: "current-password" });
  const by = field({ label: "Login by", name: "eauth", required: true, value: localStorage.getItem("mom.eauth") || "pam", list: ["pam", "file", "ldap", "oidc", "sharedsecret", "auto"], hint: "what external_auth of the master names" });
  offer(by);
  const said = h("div");
  const submit = button("Log in", null, { kind: "primary", type: "submit" });
  const form = h("form", { class: "stack card login", "aria-label": "Log in" }, h("h1", null, "Log in"), user, password, by, said, submit);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    submit.disabled = true;
    fill(said);
    const data = new FormData(form);
    try {
      await api.login(data.get("username"), data.get("password"), data.get("eauth"));
      localStorage.setItem("mom.user", data.get("username"));
      localStorage.setItem("mom.eauth", data.get("eauth"));
      await show();
    } catch (err) {
      fill(said, alert(err.status === 401 ? "User or password is wrong, or the master does not let this user in." : err.message));
      form.elements.password.value = "";
      form.elements.password.focus();
    } finally {
      submit.disabled = false;
    }
  });
  fill(root, form);
  form.elements[localStorage.getItem("mom.user") ? "password" : "username"].focus();
}

// offer lists the login services in the field, unless the reader has typed one.
async function offer(by) {
  const input = by.querySelector("input");
  const given = input.value;
  const names = await api.logins();
  if (!names.length) return;
  fill(by.querySelector("datalist"), names.map((name) => h("option", { value: name })));
  if (input.value === given && !names.includes(given)) input.value = names.includes("pam") ? "pam" : names[0];
}

async function logOut() {
  try {
    await api.post("logout", {});
  } catch (err) {
    if (err.status !== 401) {
      root.prepend(alert(`The session goes on: ${err.message}`));
      return;
    }
  }
  askLogin();
}

// The colours follow the system until the reader chooses.
const themes = ["", "light", "dark"];
const themeButton = document.getElementById("theme");

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
  const said = `Theme: ${name || "as the system"}; press to change`;
  themeButton.title = said;
}

themeButton.addEventListener("click", () => {
  const next = themes[(themes.indexOf(localStorage.getItem("mom.theme") || "") + 1) % themes.length];
  localStorage.setItem("mom.theme", next);
  setTheme(next);
});

setTheme(localStorage.getItem("mom.theme") || "");
logoutButton.addEventListener("click", logOut);
api.onSignedOut(askLogin);
window.addEventListener("hashchange", show);
show();
