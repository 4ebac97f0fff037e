package kafka

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Name is the name of this returner in the configuration.
const Name = "kafka"

// Options configure a Store. The first part are the kafka.* options.
type Options struct {
	Bootstrap []string // host or host:port; at least one
	Topic     string
	SASL      string // plain, scram-sha-256 or scram-sha-512; default plain
	Username  string // "": no login
	Password  string
	TLS       bool   // the files below enable it too
	TLSCA     string // certificate authority file; default: those of the system
	TLSCert   string // client certificate file
	TLSKey    string // its key file

	// Timeout limits one save, with all retries; 0 = 20 s.
	Timeout time.Duration

	Log *slog.Logger // nil = slog.Default()

	// dial connects to a broker, in tests; nil: over TCP.
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// fill sets the defaults, checks the options and returns the settings of a client.
func (o *Options) fill() ([]kgo.Opt, error) {
	o.SASL = strings.ToLower(cmp.Or(o.SASL, "plain"))
	o.Timeout = cmp.Or(o.Timeout, 20*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	switch {
	case len(o.Bootstrap) == 0:
		return nil, errors.New("kafka returner: kafka.bootstrap is not set; list one or more brokers")
	case o.Topic == "":
		return nil, errors.New("kafka returner: kafka.topic is not set; name a topic")
	case (o.TLSCert == "") != (o.TLSKey == ""):
		return nil, errors.New("kafka returner: kafka.tls_cert and kafka.tls_key belong together; set both or none")
	}
	login, err := o.login()
	if err != nil {
		return nil, fmt.Errorf("kafka returner: %w", err)
	}
	secure, err := o.tls()
	if err != nil {
		return nil, fmt.Errorf("kafka returner: %w", err)
	}
	client := o.client(login, secure)
	if err := kgo.ValidateOpts(client...); err != nil {
		return nil, fmt.Errorf("kafka returner: %w", err)
	}
	return client, nil
}

// login returns the mechanism of the login, nil without one.
func (o *Options) login() (sasl.Mechanism, error) {
	if o.Username == "" {
		return nil, nil
	}
	switch o.SASL {
	case "plain":
		return plain.Auth{User: o.Username, Pass: o.Password}.AsMechanism(), nil
	case "scram-sha-256":
		return scram.Auth{User: o.Username, Pass: o.Password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return scram.Auth{User: o.Username, Pass: o.Password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("kafka.sasl is %q; use plain, scram-sha-256 or scram-sha-512", o.SASL)
}

// tls returns the configuration of TLS, nil without TLS.
func (o *Options) tls() (*tls.Config, error) {
	if !o.TLS && o.TLSCA == "" && o.TLSCert == "" {
		return nil, nil
	}
	return settings.TLS{Prefix: "kafka.tls_", CA: o.TLSCA, Cert: o.TLSCert, Key: o.TLSKey}.Config()
}

// where returns the topic for messages.
func (o *Options) where() string { return strings.Join(o.Bootstrap, ",") + "/" + o.Topic }

// OptionsFrom reads the kafka.* options of a configuration, also with Salt's prefix, as
// returner.kafka.topic. With a prefix, "<prefix>.kafka.topic" takes precedence. It reports all
// faults at once.
func OptionsFrom(values map[string]any, prefix string) (Options, error) {
	r := settings.New(values, prefix)
	o := Options{
		Bootstrap: r.Texts("kafka.bootstrap"), Topic: r.Text("kafka.topic", r.Text("returner.kafka.topic", "")), SASL: r.Text("kafka.sasl", "plain"),
		Username: r.Text("kafka.username", ""), Password: r.Text("kafka.password", ""),
		TLS: r.Flag("kafka.tls"), TLSCA: r.Text("kafka.tls_ca", ""), TLSCert: r.Text("kafka.tls_cert", ""), TLSKey: r.Text("kafka.tls_key", ""),
	}
	if o.Bootstrap == nil {
		o.Bootstrap = r.Texts("returner.kafka.bootstrap")
	}
	return o, r.Err()
}

// configured reads and checks the options of a configuration. The second result are the settings
// of a client.
func configured(ro returners.Options) (Options, []kgo.Opt, error) {
	o, err := OptionsFrom(ro.Values, ro.Prefix)
	o.Log = ro.Log
	if err != nil {
		return o, nil, fmt.Errorf("kafka returner: %w", err)
	}
	client, err := o.fill()
	return o, client, err
}

func init() {
	returners.Register(returners.Driver{
		Name: Name, Events: true,
		Doc: `
Sends events (event_return) and returns to a topic of Kafka, as JSON.

kafka.bootstrap
    A list of brokers to connect to first, as host:port. Salt's name for it is
    returner.kafka.bootstrap.
kafka.topic
    The topic. It is not created. Salt's name for it is returner.kafka.topic.
kafka.username, kafka.password, kafka.sasl : plain
    The account, and the mechanism: plain, scram-sha-256 or scram-sha-512.
kafka.tls : False
kafka.tls_ca, kafka.tls_cert, kafka.tls_key
    Whether connections use TLS, and files: the certificate authority, the client's certificate
    and its key.

    salt '*' test.ping --return kafka
`,
		Options: []string{
			"kafka.bootstrap", "kafka.topic", "kafka.username", "kafka.password", "kafka.sasl", "kafka.tls", "kafka.tls_ca", "kafka.tls_cert", "kafka.tls_key",
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
