package api

// Dialect names which of Salt's two servers a listener behaves as.
type Dialect string

// The dialects.
const (
	CherryPy Dialect = "rest_cherrypy"
	Tornado  Dialect = "rest_tornado"
)

// dialectRules is where the dialects differ.
type dialectRules struct {
	name Dialect
	// clients are the names that GET / lists.
	clients []string
	// typed reads the arguments in a form as numbers and booleans; see lowdata.Options.
	typed bool
	// redirects sends requests without a token to /login, in place of 401.
	redirects bool
	// loginStatus is the status of GET /login.
	loginStatus int
	// noPerms is what the answer to a login shows for a user without rules.
	noPerms any
	// oneLogin refuses a list of one map as a login.
	oneLogin bool
	// links puts links to the jobs into the answer to POST /minions, whose status is 202.
	links bool
	// info shows the record of a job beside its results in GET /jobs/JID.
	info bool
	// rawHook puts the field body into the events of webhooks.
	rawHook bool
	// header sends the token of a login in X-Auth-Token too.
	header bool
}

var dialects = map[Dialect]dialectRules{
	CherryPy: {
		name: CherryPy, typed: true, loginStatus: 200, links: true, info: true, rawHook: true, header: true,
		clients: []string{"local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "ssh", "wheel", "wheel_async"},
	},
	Tornado: {
		name: Tornado, redirects: true, loginStatus: 401, noPerms: []any{}, oneLogin: true,
		clients: []string{"local", "local_async", "runner", "runner_async"},
	},
}
