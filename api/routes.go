package api

import "net/http"

// handlers are the handlers of the resources.
type handlers struct {
	login   *loginHandler
	lowData *lowDataHandler
	minions *minionHandler
	jobs    *jobHandler
	tree    *treeHandler
	preview *previewHandler
	keys    *keyHandler
	hooks   *hookHandler
	events  *eventHandler
	files   *fileHandler
	stats   *statsHandler
	health  *healthHandler
	doc     *docHandler
}

// routes returns the table of all routes. The zero handlers make a table that describes the routes
// but does not serve them.
func (h handlers) routes(d dialectRules) []route {
	const (
		get  = http.MethodGet
		post = http.MethodPost
	)
	return []route{
		{method: get, path: "/{$}", do: h.login.welcome, summary: "Welcome, and the names of the clients"},
		{method: post, path: "/{$}", do: h.lowData.underToken, summary: "Run low data under a token", body: "lowdata"},
		{method: get, path: "/login", do: h.login.prompt, summary: "Ask for a login", answer: promptAnswer(d)},
		{method: post, path: "/login", login: true, do: h.login.logIn, summary: "Log in: make a token", body: "login"},
		{method: post, path: "/logout", access: withToken, do: h.login.logOut, summary: "Revoke the token"},
		{method: post, path: "/token", login: true, do: h.login.makeTokens, summary: "Make tokens for use in low data", body: "logins"},
		{method: get, path: "/run", do: h.login.welcome, summary: "Welcome, and the names of the clients"},
		{method: post, path: "/run", do: h.lowData.underLogins, summary: "Run low data, each chunk with its own login", body: "lowdata"},
		{method: get, path: "/minions", access: withToken, starts: true, do: h.minions.grains, summary: "The grains of all minions"},
		{method: post, path: "/minions", access: withToken, do: h.minions.start, summary: "Start jobs without waiting", body: "lowdata", answer: startedAnswer(d)},
		{method: get, path: "/minions/{id}", access: withToken, starts: true, do: h.minions.grains, summary: "The grains of a minion"},
		{method: get, path: "/jobs", access: withToken, do: h.jobs.list, summary: "The jobs in the job cache"},
		{
			method: get, path: "/jobs/{jid}", access: withToken, do: h.jobs.show, summary: "A job and its results",
			query: map[string]string{"wait": "seconds to wait for the end of the job, at most 600"},
		},
		{
			method: get, path: "/jobs/{jid}/status", access: withToken, do: h.jobs.status, summary: "The account of a job, and which minions it waits for",
			query: map[string]string{"timeout": "seconds to wait for nodes below", "raw": "yes: in the form of the runner topology.trace"},
		},
		{
			method: get, path: "/jobs/{jid}/stream", access: withToken, stream: true, tokenInURL: true, do: h.jobs.stream,
			summary: "The returns of a job as they come, then its account", query: followQuery, answer: eventAnswer,
		},
		{method: get, path: "/jobs/{jid}/returns/{id}", access: withToken, do: h.jobs.oneReturn, summary: "The return of one minion to a job"},
		{method: get, path: "/tree", access: withToken, do: h.tree.show, summary: "The tree of masters", query: treeQuery},
		{method: get, path: "/tree/{path...}", access: withToken, do: h.tree.show, summary: "A node of the tree and everything below it", query: treeQuery},
		{method: get, path: "/preview", access: withToken, do: h.preview.show, summary: "Which minions a job would target", query: previewQuery},
		{method: get, path: "/keys", access: withToken, do: h.keys.list, summary: "All keys by their state"},
		{method: post, path: "/keys", do: h.keys.generate, summary: "Make a pair of keys, accept it, and answer with both keys as a tar", body: "keys", answer: tarAnswer},
		{method: get, path: "/keys/{id}", access: withToken, do: h.keys.show, summary: "The fingerprint of a key"},
		{method: post, path: "{webhook}", do: h.hooks.fire, summary: "Fire the event salt/netapi/hook", body: "any"},
		{method: post, path: "{webhook}/{path...}", do: h.hooks.fire, summary: "Fire the event salt/netapi/hook/PATH", body: "any"},
		{method: get, path: "/stats", do: h.stats.show, summary: "Figures of this server"},
		{
			method: get, path: "/events", access: withToken, stream: true, tokenInURL: true, do: h.events.serverSent,
			summary: "Events of the master (server-sent events)", query: eventQuery, answer: eventAnswer,
		},
		{
			method: get, path: "/ws", access: withToken, stream: true, tokenInURL: true, do: h.events.socket,
			summary: "Events of the master (web socket)", query: socketQuery, answer: socketAnswer,
		},
		{
			method: get, path: "/ws/{token}", access: withToken, stream: true, tokenInURL: true, do: h.events.socket,
			summary: "Events of the master (web socket)", query: socketQuery, answer: socketAnswer,
		},
		{
			method: get, path: "/all_events/{token}", dialect: Tornado, access: withToken, stream: true, tokenInURL: true, do: h.events.allSocket,
			summary: "Events of the master (web socket)", query: tagQuery, answer: socketAnswer,
		},
		{
			method: get, path: "/formatted_events/{token}", dialect: Tornado, access: withToken, stream: true, tokenInURL: true, do: h.events.formattedSocket,
			summary: "States of jobs and minions (web socket)", query: tagQuery, answer: socketAnswer,
		},
		{method: get, path: "{app}", file: true, do: h.files.servePage, summary: "The page of the tree, or the file of the option app", answer: pageAnswer},
		{method: get, path: "{app}/{path...}", file: true, do: h.files.servePage, summary: "A file of the page", answer: fileAnswer},
		{method: get, path: "{static}/{path...}", file: true, do: h.files.serveStatic, summary: "A file of the directory of the option static", answer: fileAnswer},
		{method: get, path: "/whoami", access: withToken, do: h.login.whoAmI, summary: "The user of the token, its expiry and its rules"},
		{method: get, path: "/health", do: h.health.show, summary: "Whether the master answers"},
		{method: get, path: "/openapi.json", do: h.doc.show, summary: "This document"},
	}
}

// Parameters of queries.
var (
	tagQuery    = map[string]string{"tag": "the beginning of a tag, or a glob for a whole tag; may be repeated"}
	eventQuery  = map[string]string{"tag": tagQuery["tag"], "token": "the token", "salt_token": "the token", "last_event_id": "in place of the header Last-Event-ID"}
	socketQuery = map[string]string{"tag": tagQuery["tag"], "token": "the token", "salt_token": "the token", "format_events": "states of jobs and minions in place of events"}
	treeQuery   = map[string]string{
		"depth": "tiers of nodes, including the first; 0: all", "minions": "no or count: leave out the minions; each node has their number under own",
		"raw":  "yes: in the form of the runner topology.tree",
		"find": "an id: answer with the places of the minion or node in the tree", "prefix": "yes: find is the beginning of an id; the answer has at most 50 places",
	}
	previewQuery = map[string]string{
		"tgt": "the target", "tgt_type": "its type; default glob", "fun": "the function of the job, which decides whether the user may run it",
		"arg": "an argument of the function; may be repeated",
	}
	followQuery = map[string]string{"expected": "yes: send which minions have to answer too, by node", "exact": "yes: returns in the form of application/vnd.mom+json"}
)

// Answers that are not JSON with status 200.
var (
	tarAnswer    = answerDoc{status: "200", kind: "application/x-tar", text: "minion.pub and minion.pem"}
	eventAnswer  = answerDoc{status: "200", kind: "text/event-stream", text: "events until either side ends"}
	socketAnswer = answerDoc{status: "101", text: "the web socket begins"}
	pageAnswer   = answerDoc{status: "200", kind: "text/html", text: "the document"}
	fileAnswer   = answerDoc{status: "200", kind: "*/*", text: "the file"}
)

func promptAnswer(d dialectRules) answerDoc {
	if d.loginStatus == http.StatusOK {
		return answerDoc{}
	}
	return answerDoc{status: "401", kind: "application/json", text: "a login is required"}
}

func startedAnswer(d dialectRules) answerDoc {
	if !d.links {
		return answerDoc{}
	}
	return answerDoc{status: "202", kind: "application/json", text: "the jobs have started"}
}
