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

// Options of a [Server].
type Options struct {
	Dialect Dialect
	// Host and Port are the address to listen on. Host "" is every address.
	Host string
	Port int
	// Cert, Key and Chain are files in PEM: the certificate, its key, and the certificates up to
	// the authority, if they are not in Cert. They are read again when they change. Without Cert
	// there is no TLS, which DisableTLS or Debug has to allow.
	Cert, Key, Chain string
	DisableTLS       bool
	// Debug shows the texts of internal errors to clients and, as in Salt, allows plain HTTP.
	Debug bool
	// Root is a path before all others, such as /salt. Default none.
	Root string
	// Clients are the enabled clients: Salt's netapi_enable_clients. Default none.
	Clients []string
	// WebhookURL is the path of webhooks. Default /hook.
	WebhookURL string
	// OpenWebhooks accepts webhooks without a token.
	OpenWebhooks bool
	// OpenStats shows the figures without a token.
	OpenStats bool
	// App is a file to serve in place of the page of package page. NoApp serves neither. AppPath is
	// their path, one segment. Default /app.
	App     string
	NoApp   bool
	AppPath string
	// Static is a directory whose files are served without a token under StaticPath. Default: none,
	// and /static.
	Static, StaticPath string
	// WebSockets serves the paths of rest_tornado's web sockets.
	WebSockets bool
	// Origins are those whose pages in a browser may use the API. "*" (the default) is all: they
	// have to send the token in a header, since a browser then sends no cookies, and may not log in.
	Origins []string
	// Proxies are the addresses of reverse proxies and gateways. The header X-Forwarded-For of their
	// requests names the client. Default none.
	Proxies []netip.Prefix
	// MaxBody bounds a body, in bytes. Default 100 MiB, as in Salt.
	MaxBody int64
	// MaxInFlight bounds requests in progress; more get 503. Default 1024.
	MaxInFlight int
	// MaxStreams bounds event streams and web sockets; more get 503. Default 2048.
	MaxStreams int
	// RunnerTime bounds a call of a runner without a timeout of its own: Salt's rest_timeout.
	// Default 300 s.
	RunnerTime time.Duration
	// CallTime bounds a call that waits for minions. Default 24 h.
	CallTime time.Duration
	// BodyTime bounds how long a body may take to arrive. Default 60 s.
	BodyTime time.Duration
	// Tracer makes the spans of requests that start something; nil: none.
	Tracer *tracing.Tracer
	// AllEvents sends all events to everyone with a token, as Salt does. Default: each user gets
	// the events that the rules allow; see docs/guide/api.md, Events.
	AllEvents bool
	// NoEvents answers streams of events with 503: the backend has none.
	NoEvents bool
	// Logins are the login services that the page offers to everyone: those of external_auth.
	// Default unknown.
	Logins []string
	// MasterUser is the user that the master runs as. A user of a login service with this name is
	// somebody else and does not own the jobs of the master's user.
	MasterUser string
	// Version is shown by /stats.
	Version string
	// Now is the clock. Default time.Now.
	Now func() time.Time
	Log *slog.Logger
	// Hub distributes the events. The listeners of a process share it; nil: the server makes and
	// runs one.
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

// plain reports whether to serve without TLS. It is an error if no option allows that.
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
