package api

import (
	"fmt"
	"regexp"
	"strings"
)

// access says whose requests a route serves.
type access int

const (
	// The zero value: the handler decides, or the body has the login.
	_ access = iota
	// withToken: only requests with a valid token.
	withToken
)

// route is one row of the table from which the router and the OpenAPI document are made.
type route struct {
	method string
	// path is a pattern of net/http. {webhook}, {app} and {static} at its beginning stand for the
	// options webhook_url, app_path and static_path.
	path   string
	access access
	// dialect is the only dialect with the route; "" for both.
	dialect Dialect
	// login: the body is only a login, which pages of named origins may send.
	login bool
	// starts: it starts a job although its method is GET, as in Salt.
	starts bool
	// stream: the answer has no end and does not count as a request in progress.
	stream bool
	// file: the answer is a file, whatever the header Accept says.
	file bool
	// tokenInURL accepts the token in the query or the path too, because browsers cannot send
	// headers there.
	tokenInURL bool

	// do handles a request.
	do func(*call) error

	summary string
	// query are the parameters after "?" and what they mean.
	query map[string]string
	// body is the schema of the body; "" for none.
	body string
	// answer describes the answer. The zero value is JSON with status 200.
	answer answerDoc
}

// answerDoc describes a successful answer.
type answerDoc struct{ status, kind, text string }

// enabled reports whether the dialect and the options have the route.
func (rt *route) enabled(o Options) bool {
	switch {
	case strings.HasPrefix(rt.path, "{app}"):
		return !o.NoApp
	case strings.HasPrefix(rt.path, "{static}"):
		return o.Static != ""
	}
	return rt.dialect == "" || (rt.dialect == o.Dialect && o.WebSockets)
}

// pattern is the path with the options filled in.
func (rt *route) pattern(o Options) string {
	return strings.NewReplacer("{webhook}", o.WebhookURL, "{app}", o.AppPath, "{static}", o.StaticPath).Replace(rt.path)
}

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// checkPaths refuses a path of an option that is malformed or belongs to another route.
func checkPaths(table []route, o Options) error {
	first := func(p string) string {
		seg, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		return seg
	}
	taken := map[string]string{}
	for i := range table {
		taken[first(table[i].path)] = "another route"
	}
	for _, p := range []struct {
		name, path, example string
		used                bool
	}{
		{"webhook_url", o.WebhookURL, "/hook", true}, {"app_path", o.AppPath, "/app", !o.NoApp}, {"static_path", o.StaticPath, "/static", o.Static != ""},
	} {
		switch {
		case !p.used:
			continue
		case !plainPath.MatchString(p.path):
			return fmt.Errorf("%s %q: use segments of letters, digits and . _ ~ -, such as %s", p.name, p.path, p.example)
		case p.name == "app_path" && strings.Count(p.path, "/") > 1:
			return fmt.Errorf("app_path %s: use one segment, such as /app; the page finds the API beside it", p.path)
		case taken[first(p.path)] != "":
			return fmt.Errorf("%s %s is the path of %s; choose another, such as %s", p.name, p.path, taken[first(p.path)], p.example)
		}
		taken[first(p.path)] = p.name
	}
	return nil
}
