package api

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// who says whose requests a route takes.
type who int

const (
	// The zero value: no token is looked at, or the body has what counts.
	_ who = iota
	// holder: whoever shows a token that holds.
	holder
)

// route is one row of the table that the server and the OpenAPI document are made of.
type route struct {
	method string
	// path is a pattern of net/http; {webhook}, {app} and {static} at its beginning are the
	// options webhook_url, app_path and static_path.
	path string
	who  who
	// in is the dialect that has the route; "" for both.
	in Dialect
	// login: its body is a login alone, which pages of origins that are named may send.
	login bool
	// starts: it starts a job, although its method is GET: Salt's clients know it so.
	starts bool
	// stream: an answer without end, counted apart.
	stream bool
	// file: the answer is a file, whatever the header Accept says.
	file bool
	// inURL takes the token from the query or the path as well: browsers cannot send
	// headers there.
	inURL   bool
	summary string
	// query are the parameters after "?", with what they mean.
	query map[string]string
	// body is the schema of the body; "" for none.
	body string
	do   func(*Server, *call) error
}

// routes are all that the API has.
var routes = []route{
	{method: "GET", path: "/{$}", summary: "Welcome, and the clients", do: (*Server).welcome},
	{method: "POST", path: "/{$}", summary: "Run low data under a token", body: "lowdata", do: (*Server).runLow},
	{method: "GET", path: "/login", summary: "Says that a login is wanted", do: (*Server).pleaseLogIn},
	{method: "POST", path: "/login", login: true, summary: "Log in: make a token", body: "login", do: (*Server).logIn},
	{method: "POST", path: "/logout", who: holder, summary: "End the token", do: (*Server).logOut},
	{method: "POST", path: "/token", login: true, summary: "Make a token for use in low data", body: "logins", do: (*Server).makeToken},
	{method: "GET", path: "/run", summary: "Welcome, and the clients", do: (*Server).welcome},
	{method: "POST", path: "/run", summary: "Run low data, each chunk with its own login", body: "lowdata", do: (*Server).runBare},
	{method: "GET", path: "/minions", who: holder, starts: true, summary: "The grains of all minions", do: (*Server).minions},
	{method: "POST", path: "/minions", who: holder, summary: "Start jobs without waiting", body: "lowdata", do: (*Server).startJobs},
	{method: "GET", path: "/minions/{id}", who: holder, starts: true, summary: "The grains of a minion", do: (*Server).minions},
	{method: "GET", path: "/jobs", who: holder, summary: "The jobs that are kept", do: (*Server).jobs},
	{
		method: "GET", path: "/jobs/{jid}", who: holder, summary: "A job and its results", do: (*Server).job,
		query: map[string]string{"wait": "seconds to wait for the end of the job, at most 600"},
	},
	{
		method: "GET", path: "/jobs/{jid}/status", who: holder, summary: "Where a job is: its account, and whom it waits for", do: (*Server).jobStatus,
		query: map[string]string{"timeout": "seconds to wait for nodes below", "raw": "yes: in the form of the runner topology.trace"},
	},
	{method: "GET", path: "/jobs/{jid}/stream", who: holder, stream: true, inURL: true, summary: "The returns of a job as they come, then its account", query: followQuery, do: (*Server).jobStream},
	{method: "GET", path: "/jobs/{jid}/returns/{id}", who: holder, summary: "What one minion has returned to a job", do: (*Server).jobReturn},
	{method: "GET", path: "/tree", who: holder, summary: "The tree of masters", query: treeQuery, do: (*Server).tree},
	{method: "GET", path: "/tree/{path...}", who: holder, summary: "A node of the tree and what is below it", query: treeQuery, do: (*Server).tree},
	{method: "GET", path: "/preview", who: holder, summary: "Whom a target means, before anything is sent", query: previewQuery, do: (*Server).preview},
	{method: "GET", path: "/keys", who: holder, summary: "All keys by their state", do: (*Server).keys},
	{method: "POST", path: "/keys", summary: "Make a pair of keys, accept it, and answer with both as a tar", body: "keys", do: (*Server).makeKeys},
	{method: "GET", path: "/keys/{id}", who: holder, summary: "The fingerprint of a key", do: (*Server).key},
	{method: "POST", path: "{webhook}", summary: "Fire an event: salt/netapi/hook", body: "any", do: (*Server).hook},
	{method: "POST", path: "{webhook}/{path...}", summary: "Fire an event: salt/netapi/hook/ and the path", body: "any", do: (*Server).hook},
	{method: "GET", path: "/stats", summary: "Figures of this server", do: (*Server).stats},
	{method: "GET", path: "/events", who: holder, stream: true, inURL: true, summary: "Events of the master (server-sent events)", query: eventQuery, do: (*Server).events},
	{method: "GET", path: "/ws", who: holder, stream: true, inURL: true, summary: "Events of the master (web socket)", query: socketQuery, do: (*Server).socket},
	{method: "GET", path: "/ws/{token}", who: holder, stream: true, inURL: true, summary: "Events of the master (web socket)", query: socketQuery, do: (*Server).socket},
	{method: "GET", path: "/all_events/{token}", in: Tornado, who: holder, stream: true, inURL: true, summary: "Events of the master (web socket)", query: tagQuery, do: (*Server).allEvents},
	{method: "GET", path: "/formatted_events/{token}", in: Tornado, who: holder, stream: true, inURL: true, summary: "What happens to jobs and minions (web socket)", query: tagQuery, do: (*Server).formattedEvents},
	{method: "GET", path: "{app}", file: true, summary: "The page of the tree, or the file of the option app", do: (*Server).app},
	{method: "GET", path: "{app}/{path...}", file: true, summary: "A file of the page", do: (*Server).app},
	{method: "GET", path: "{static}/{path...}", file: true, summary: "A file of the folder of the option static", do: (*Server).static},
	{method: "GET", path: "/whoami", who: holder, summary: "Whose token it is, and what rules hold for it", do: (*Server).whose},
	{method: "GET", path: "/health", summary: "Whether the master answers", do: (*Server).health},
	{method: "GET", path: "/openapi.json", summary: "This document", do: (*Server).openAPI},
}

var (
	tagQuery    = map[string]string{"tag": "the beginning of a tag, or a glob for a whole one; may be there several times"}
	eventQuery  = map[string]string{"tag": tagQuery["tag"], "token": "the token", "salt_token": "the token", "last_event_id": "in place of the header Last-Event-ID"}
	socketQuery = map[string]string{"tag": tagQuery["tag"], "token": "the token", "salt_token": "the token", "format_events": "what happens to jobs and minions in place of events"}
	treeQuery   = map[string]string{
		"depth": "tiers of nodes, the first included; 0: all", "minions": "no or count: leave the minions out; each node has their number under own",
		"raw":  "yes: in the form of the runner topology.tree",
		"find": "an id: answer with the places of the minion or node in the tree instead", "prefix": "yes: find has the beginning of an id; at most 50 places are told",
	}
	previewQuery = map[string]string{
		"tgt": "the target", "tgt_type": "its type; glob if left out", "fun": "the function that the job is to run, which decides whether the user may",
		"arg": "an argument of it; may be there several times",
	}
	followQuery = map[string]string{"expected": "yes: tell as well who has to answer, by node", "exact": "yes: returns in the form of application/vnd.mom+json"}
)

// table is the routes that this server has, by path and method, and their patterns.
func (s *Server) table() (map[string]map[string]*route, *http.ServeMux) {
	byPath, mux := map[string]map[string]*route{}, http.NewServeMux()
	for i := range routes {
		rt := &routes[i]
		if !s.has(rt) {
			continue
		}
		p := s.pattern(rt)
		if byPath[p] == nil {
			byPath[p] = map[string]*route{}
			mux.HandleFunc(p, func(http.ResponseWriter, *http.Request) {}) // the pattern is all that is asked of it
		}
		byPath[p][rt.method] = rt
	}
	return byPath, mux
}

// has tells whether the dialect and the options have a route.
func (s *Server) has(rt *route) bool {
	switch {
	case strings.HasPrefix(rt.path, "{app}"):
		return !s.o.NoApp
	case strings.HasPrefix(rt.path, "{static}"):
		return s.o.Static != ""
	}
	return rt.in == "" || (rt.in == s.o.Dialect && s.o.WebSockets)
}

// pattern is the path of a route with the options put in.
func (s *Server) pattern(rt *route) string {
	return strings.NewReplacer("{webhook}", s.o.WebhookURL, "{app}", s.o.AppPath, "{static}", s.o.StaticPath).Replace(rt.path)
}

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// checkPaths refuses a path of an option that is another route's, or none.
func checkPaths(o Options) error {
	first := func(p string) string {
		seg, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		return seg
	}
	taken := map[string]string{}
	for i := range routes {
		taken[first(routes[i].path)] = "something else"
	}
	for _, p := range []struct {
		name, path, such string
		used             bool
	}{
		{"webhook_url", o.WebhookURL, "/hook", true}, {"app_path", o.AppPath, "/app", !o.NoApp}, {"static_path", o.StaticPath, "/static", o.Static != ""},
	} {
		switch {
		case !p.used:
			continue
		case !plainPath.MatchString(p.path):
			return fmt.Errorf("%s %q: segments of letters, digits and . _ ~ - are wanted, such as %s", p.name, p.path, p.such)
		case p.name == "app_path" && strings.Count(p.path, "/") > 1:
			return fmt.Errorf("app_path %s: one segment is wanted, such as /app; the page finds the API beside it", p.path)
		case taken[first(p.path)] != "":
			return fmt.Errorf("%s %s is the path of %s; choose another, such as %s", p.name, p.path, taken[first(p.path)], p.such)
		}
		taken[first(p.path)] = p.name
	}
	return nil
}
