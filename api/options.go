package api

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/internal/tracing"
)

// Dialect names which of Salt's two servers a listener behaves as.
type Dialect string

// The dialects.
const (
	CherryPy Dialect = "rest_cherrypy"
	Tornado  Dialect = "rest_tornado"
)

// Options of a [Server].
type Options struct {
	Dialect Dialect
	// Host and Port are where it listens. Host "" is every address.
	Host string
	Port int
	// Cert, Key and Chain are files in PEM: the certificate, its key and the further
	// certificates up to the authority, if they are not in Cert. They are read again
	// when they change. Without Cert there is no TLS, and DisableTLS or Debug has to
	// say that this is meant.
	Cert, Key, Chain string
	DisableTLS       bool
	// Debug tells whoever asks the reasons of errors that are the server's own, and
	// makes plain HTTP the default, as in Salt.
	Debug bool
	// Root is a path in front of all others, such as /salt. Default none.
	Root string
	// Clients are those that may be used: Salt's netapi_enable_clients. None by default.
	Clients []string
	// WebhookURL is the path of webhooks. Default /hook.
	WebhookURL string
	// OpenWebhooks takes webhooks of anybody, without a token. Default no.
	OpenWebhooks bool
	// OpenStats shows the figures to anybody. Default no.
	OpenStats bool
	// App is a file that is served in the place of the page of package page, NoApp serves
	// neither. AppPath is where: one segment. Default /app.
	App     string
	NoApp   bool
	AppPath string
	// Static is a folder whose files are served to anybody under StaticPath. Default: none,
	// and /static.
	Static, StaticPath string
	// WebSockets serves the paths of rest_tornado's web sockets.
	WebSockets bool
	// Origins are those whose pages in a browser may use the API: "*" (the default) for
	// all, which then have to send the token in a header, since a browser sends no
	// cookies along, and may not log in.
	Origins []string
	// Proxies are the addresses of reverse proxies and gateways, whose header
	// X-Forwarded-For says where a request comes from. Default: none.
	Proxies []netip.Prefix
	// MaxBody bounds a body, in bytes. Default 100 MiB, at which Salt's servers act.
	MaxBody int64
	// MaxInFlight bounds requests at work; more are answered 503. Default 1024.
	MaxInFlight int
	// MaxStreams bounds event streams and web sockets; more are answered 503. Default 2048.
	MaxStreams int
	// RunnerTime bounds a call of a runner without a timeout of its own: Salt's
	// rest_timeout. Default 300 s.
	RunnerTime time.Duration
	// CallTime bounds a call that waits for minions. Default 24 h.
	CallTime time.Duration
	// BodyTime bounds how long a body may take to arrive. Default 60 s.
	BodyTime time.Duration
	// Tracer makes the spans of requests that start something; nil: none.
	Tracer *tracing.Tracer
	// AllEvents has whoever holds a token hear all events, as Salt does. Default: each
	// user hears what the rules allow; see docs/guide/api.md, Events.
	AllEvents bool
	// NoEvents answers streams of events with 503: the backend has none.
	NoEvents bool
	// Logins are the login services that the page offers: those of external_auth. Anybody
	// may read their names there. Default: unknown.
	Logins []string
	// MasterUser is the user that the master runs as. A user of a login service who is
	// called so is another one, and no job of the master's user is that one's own.
	MasterUser string
	// Version is told by /stats.
	Version string
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger
	// Hub hands on the events; listeners of one process share it. nil: one is made, and
	// run by the server.
	Hub *stream.Hub
}

func (o Options) withDefaults() Options {
	if o.WebhookURL == "" {
		o.WebhookURL = "/hook"
	}
	if o.AppPath == "" {
		o.AppPath = "/app"
	}
	if o.StaticPath == "" {
		o.StaticPath = "/static"
	}
	if o.Origins == nil {
		o.Origins = []string{"*"}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 100 << 20
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 1024
	}
	if o.MaxStreams <= 0 {
		o.MaxStreams = 2048
	}
	if o.RunnerTime <= 0 {
		o.RunnerTime = 300 * time.Second
	}
	if o.CallTime <= 0 {
		o.CallTime = 24 * time.Hour
	}
	if o.BodyTime <= 0 {
		o.BodyTime = 60 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

func (o Options) addr() string { return net.JoinHostPort(o.Host, strconv.Itoa(o.Port)) }

// plain tells whether it serves without TLS; an error if nobody said that this is meant.
func (o Options) plain() (bool, error) {
	switch {
	case o.DisableTLS:
		return true, nil
	case o.Cert != "" && o.Key != "":
		return false, nil
	case o.Cert != "" || o.Key != "":
		return false, errors.New(string(o.Dialect) + ": ssl_crt and ssl_key belong together; one is missing")
	case o.Debug:
		return true, nil
	}
	return false, errors.New(string(o.Dialect) + ": set ssl_crt and ssl_key, or disable_ssl: True to serve tokens and passwords without TLS")
}

// manner is where the dialects differ.
type manner struct {
	name Dialect
	// clients are those that the root tells of.
	clients []string
	// typed arguments of forms; see lowdata.Options.
	typed bool
	// redirects sends whoever has no token to /login, in place of 401.
	redirects bool
	// loginStatus is the status of GET /login.
	loginStatus int
	// noPerms is what a login shows for a user without rules.
	noPerms any
	// oneLogin takes no list of one as a login.
	oneLogin bool
	// links are in the answer to POST /minions, whose status is 202.
	links bool
	// info is in the answer to GET /jobs/JID beside the results.
	info bool
	// rawHook gives webhooks the field body.
	rawHook bool
	// header is set by a login: X-Auth-Token.
	header bool
}

var manners = map[Dialect]manner{
	CherryPy: {
		name: CherryPy, typed: true, loginStatus: 200, links: true, info: true, rawHook: true, header: true,
		clients: []string{"local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "ssh", "wheel", "wheel_async"},
	},
	Tornado: {
		name: Tornado, redirects: true, loginStatus: 401, noPerms: []any{}, oneLogin: true,
		clients: []string{"local", "local_async", "runner", "runner_async"},
	},
}
