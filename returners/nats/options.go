package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Name is the name of this returner in the configuration.
const Name = "nats"

// Options configure a Store. The first part are the nats.* options.
type Options struct {
	Servers     []string // URLs or host:port; at least one
	Subject     string   // a stream must hold it
	Credentials string   // file with the JWT and seed of an account
	Username    string
	Password    string
	Token       string
	TLS         bool   // the files below enable it too
	TLSCA       string // certificate authority file; default: those of the system
	TLSCert     string // client certificate file
	TLSKey      string // its key file

	// Timeout limits one save; 0 = 20 s. A message is waited for at most half as long.
	Timeout time.Duration

	Log *slog.Logger // nil = slog.Default()
}

// fill sets the defaults, checks the options and returns the settings of a connection.
func (o *Options) fill() ([]nats.Option, error) {
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	switch {
	case len(o.Servers) == 0:
		return nil, errors.New("nats returner: nats.servers is not set; list one or more servers")
	case o.Subject == "":
		return nil, errors.New("nats returner: nats.subject is not set; name a subject of a stream")
	case strings.ContainsAny(o.Subject, " \t\r\n*>") || strings.HasPrefix(o.Subject, ".") || strings.HasSuffix(o.Subject, ".") || strings.Contains(o.Subject, ".."):
		return nil, fmt.Errorf("nats returner: nats.subject is %q; use words separated by dots, without wildcards", o.Subject)
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return nil, errors.New("nats returner: nats.tls_cert and nats.tls_key belong together; set both or none")
	}
	client, err := o.client()
	if err != nil {
		return nil, fmt.Errorf("nats returner: %w", err)
	}
	return client, nil
}

// where returns the subject for messages, without passwords.
func (o *Options) where() string {
	servers := make([]string, len(o.Servers))
	for i, s := range o.Servers {
		servers[i] = s
		if u, err := url.Parse(s); err == nil && u.User != nil {
			servers[i] = u.Redacted()
		}
	}
	return strings.Join(servers, ",") + "/" + o.Subject
}

// client returns the settings of the connection, which is kept up for ever. Nothing is buffered
// while it is down.
func (o *Options) client() ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name("mom"), nats.Timeout(min(o.Timeout, 5*time.Second)), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(min(o.Timeout/4, time.Second)), nats.ReconnectBufSize(-1), nats.PingInterval(20 * time.Second), nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(o.Timeout), nats.NoCallbacksAfterClientClose(), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			o.Log.Debug("nats client reported an error", "err", err)
		}),
	}
	if o.Credentials != "" {
		opts = append(opts, nats.UserCredentials(o.Credentials))
	}
	if o.Username != "" {
		opts = append(opts, nats.UserInfo(o.Username, o.Password))
	}
	if o.Token != "" {
		opts = append(opts, nats.Token(o.Token))
	}
	if o.TLS || o.TLSCA != "" || o.TLSCert != "" {
		secure, err := settings.TLS{Prefix: "nats.tls_", CA: o.TLSCA, Cert: o.TLSCert, Key: o.TLSKey}.Config()
		if err != nil {
			return nil, err
		}
		opts = append(opts, nats.Secure(secure))
	}
	return opts, nil
}

// OptionsFrom reads the nats.* options of a configuration. With a prefix, "<prefix>.nats.subject"
// takes precedence over "nats.subject". It reports all faults at once.
func OptionsFrom(values map[string]any, prefix string) (Options, error) {
	r := settings.New(values, prefix)
	o := Options{
		Servers: r.Texts("nats.servers"), Subject: r.Text("nats.subject", ""), Credentials: r.Text("nats.credentials", ""),
		Username: r.Text("nats.username", ""), Password: r.Text("nats.password", ""), Token: r.Text("nats.token", ""),
		TLS: r.Flag("nats.tls"), TLSCA: r.Text("nats.tls_ca", ""), TLSCert: r.Text("nats.tls_cert", ""), TLSKey: r.Text("nats.tls_key", ""),
	}
	return o, r.Err()
}

// configured reads and checks the options of a configuration. The second result are the settings
// of a connection.
func configured(ro returners.Options) (Options, []nats.Option, error) {
	o, err := OptionsFrom(ro.Values, ro.Prefix)
	o.Log = ro.Log
	if err != nil {
		return o, nil, fmt.Errorf("nats returner: %w", err)
	}
	client, err := o.fill()
	return o, client, err
}

func init() {
	returners.Register(returners.Driver{
		Name: Name, Events: true,
		Doc: `
Publishes events (event_return) and returns to a stream of NATS JetStream, as JSON.

nats.servers
    A list of servers to connect to, as URL or host:port.
nats.subject
    The subject. A stream that holds it must exist.
nats.credentials
    The file with the JWT and seed of an account.
nats.username, nats.password, nats.token
    Another login.
nats.tls : False
nats.tls_ca, nats.tls_cert, nats.tls_key
    Whether connections use TLS, and files: the certificate authority, the client's certificate
    and its key.

    salt '*' test.ping --return nats
`,
		Options: []string{
			"nats.servers", "nats.subject", "nats.credentials", "nats.username", "nats.password", "nats.token", "nats.tls", "nats.tls_ca", "nats.tls_cert", "nats.tls_key",
		},
		Check: func(ro returners.Options) error {
			_, _, err := configured(ro)
			return err
		},
		Open: func(_ context.Context, ro returners.Options) (returners.Saver, error) {
			o, client, err := configured(ro)
			if err != nil {
				return nil, err
			}
			return newStore(o, client), nil
		},
	})
}
