package api

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
)

// reading reads a section of the configuration.
type reading struct {
	name  string
	raw   map[string]any
	notes []string
	errs  []error
}

// unneeded are options that this server does not need, with the reason.
var unneeded = map[string]string{
	"backlog":           "the system chooses the length of the queue",
	"enable_sessions":   "tokens are the sessions",
	"expire_responses":  "every answer has a deadline",
	"num_processes":     "one process serves all requests",
	"socket_queue_size": "the system chooses the length of the queue",
	"thread_pool":       "each request has a goroutine of its own",
}

// unserved are options whose effect this server does not have.
var unserved = map[string]string{
	"log_access_file": "the log of the daemon has the requests",
	"log.access_file": "the log of the daemon has the requests",
	"log.error_file":  "the log of the daemon has the errors",
	"log_error_file":  "the log of the daemon has the errors",
}

// OptionsOf reads a section of the master's configuration, rest_cherrypy or rest_tornado. clients and
// timeout are netapi_enable_clients and rest_timeout. notes are about options without an effect.
func OptionsOf(d Dialect, raw map[string]any, clients []string, timeout time.Duration) (_ Options, notes []string, err error) {
	r := &reading{name: string(d), raw: maps.Clone(raw)}
	o := Options{Dialect: d, Clients: clients, RunnerTime: timeout}
	o.Port = r.number("port", 0, 1, 65535)
	if o.Port == 0 {
		r.fail("port", "is missing: set the port to listen on")
	}
	switch d {
	case CherryPy:
		o.Host = r.text("host", "0.0.0.0")
		o.Chain = r.text("ssl_chain", "")
		o.Root = strings.TrimSuffix(r.text("root_prefix", ""), "/")
		o.OpenStats = r.flag("stats_disable_auth")
		r.flag("collect_stats") // the figures are always collected
	case Tornado:
		o.Host = r.text("address", "")
		o.WebSockets = r.flag("websockets")
	default:
		return Options{}, nil, fmt.Errorf("unknown dialect %q: use %s or %s", d, CherryPy, Tornado)
	}
	o.Cert, o.Key = r.text("ssl_crt", ""), r.text("ssl_key", "")
	o.DisableTLS, o.Debug = r.flag("disable_ssl"), r.flag("debug")
	o.WebhookURL = "/" + strings.Trim(r.text("webhook_url", "/hook"), "/")
	o.OpenWebhooks = r.flag("webhook_disable_auth")
	o.Origins = r.texts("cors_origin")
	o.Proxies = r.networks("trusted_proxies")
	o.App, o.NoApp = r.app()
	o.AppPath = "/" + strings.Trim(r.text("app_path", "/app"), "/")
	o.Static = r.text("static", "")
	o.StaticPath = "/" + strings.Trim(r.text("static_path", "/static"), "/")
	o.MaxBody = int64(r.number("max_request_body_size", 100<<20, 1, 1<<40))
	if o.Root != "" && !strings.HasPrefix(o.Root, "/") {
		r.fail("root_prefix", "must begin with /")
	}
	if o.WebhookURL == "/" {
		r.fail("webhook_url", "is /, which is another route; choose another path, such as /hook")
	}
	for _, name := range slices.Sorted(maps.Keys(r.raw)) {
		switch {
		case unneeded[name] != "":
			r.note(name, "is not needed: "+unneeded[name])
		case unserved[name] != "":
			r.note(name, "has no effect: "+unserved[name])
		default:
			r.fail(name, "is not an option of this section")
		}
	}
	if len(r.errs) > 0 {
		return Options{}, r.notes, r.errs[0]
	}
	if _, err := o.plain(); err != nil {
		return Options{}, r.notes, err
	}
	return o, r.notes, nil
}

func (r *reading) fail(name, text string) {
	r.errs = append(r.errs, fmt.Errorf("%s: %s %s", r.name, name, text))
}

func (r *reading) note(name, text string) {
	r.notes = append(r.notes, fmt.Sprintf("%s: %s %s", r.name, name, text))
}

// take removes an option and returns it; nil if it is not set.
func (r *reading) take(name string) any {
	v := r.raw[name]
	delete(r.raw, name)
	return v
}

func (r *reading) text(name, def string) string {
	switch v := r.take(name).(type) {
	case nil:
		return def
	case string:
		return v
	default:
		r.fail(name, fmt.Sprintf("is %v; use a text", v))
	}
	return def
}

// app reads the option app: a file that replaces the page, or False for none.
func (r *reading) app() (file string, none bool) {
	switch v := r.take("app").(type) {
	case nil:
	case bool:
		return "", !v
	case string:
		if b, ok := pyfmt.YAMLWord(v).(bool); ok {
			return "", !b
		}
		return v, false
	default:
		r.fail("app", fmt.Sprintf("is %v; use the path of a file, or False for no page", v))
	}
	return "", false
}

func (r *reading) texts(name string) []string {
	switch v := r.take(name).(type) {
	case nil:
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				r.fail(name, fmt.Sprintf("has %v in its list; use texts", e))
			}
			out = append(out, s)
		}
		return out
	default:
		r.fail(name, fmt.Sprintf("is %v; use a text or a list of texts", v))
	}
	return nil
}

// networks reads addresses and networks.
func (r *reading) networks(name string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range r.texts(name) {
		p, err := netip.ParsePrefix(text)
		if a, alone := netip.ParseAddr(text); alone == nil {
			a = a.Unmap().WithZone("")
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			r.fail(name, fmt.Sprintf("has %q; use an address or a network, such as 10.0.0.5 or 10.0.0.0/24", text))
			continue
		}
		out = append(out, p.Masked())
	}
	return out
}

func (r *reading) flag(name string) bool {
	v := r.take(name)
	if s, ok := v.(string); ok {
		v = pyfmt.YAMLWord(s)
	}
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	}
	r.fail(name, fmt.Sprintf("is %v; use True or False", v))
	return false
}

func (r *reading) number(name string, def, least, most int64) int {
	v := r.take(name)
	if s, ok := v.(string); ok {
		v = pyfmt.YAMLWord(s)
	}
	var n int64
	switch v := v.(type) {
	case nil:
		return int(def)
	case int64:
		n = v
	case int:
		n = int64(v)
	default:
		n = least - 1
	}
	if n < least || n > most {
		r.fail(name, fmt.Sprintf("is %v; use a whole number from %d to %d", v, least, most))
		return int(def)
	}
	return int(n)
}
