package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Options configure a Store. The first part are Salt's options.
type Options struct {
	// Returner is JSONB or Text. Default JSONB.
	Returner string

	// Host is a name or an address, or several separated by commas: the first one that
	// accepts writes is used. A host that begins with a slash is the folder of the socket.
	// Default "localhost".
	Host string
	Port int    // default 5432
	User string // default "salt"
	Pass string // default "salt" when read from a configuration
	DB   string // default "salt"

	// SSLMode is one of libpq's modes: disable, allow, prefer, require, verify-ca,
	// verify-full. Default prefer.
	SSLMode     string
	SSLCert     string // client certificate file
	SSLKey      string // its key file
	SSLRootCert string // certificate authority file
	SSLCRL      string // file with the certificates that the authority has revoked

	ConnectTimeout time.Duration // of connecting to one host; 0 = 10 s

	// ReadOnly leaves the tables unchanged, so an account that may only read them and a
	// replica are enough. The store cannot write.
	ReadOnly bool

	// ArchiveJobs makes Clean copy rows to <table>_archive before it removes them (Salt's
	// archive_jobs).
	ArchiveJobs bool

	Conns    int           // most connections; 0 = 4
	Lifetime time.Duration // of a connection; 0 = 3 minutes
	Timeout  time.Duration // how long the server may be silent during a statement; 0 = 30 s

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now

	form form
}

// sslModes are the modes of libpq.
var sslModes = []string{"", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

func (o *Options) fill() error {
	setDefault(&o.Returner, JSONB)
	setDefault(&o.Host, "localhost")
	setDefault(&o.Port, 5432)
	setDefault(&o.User, "salt")
	setDefault(&o.DB, "salt")
	setDefault(&o.ConnectTimeout, 10*time.Second)
	setDefault(&o.Conns, 4)
	setDefault(&o.Lifetime, 3*time.Minute)
	setDefault(&o.Timeout, 30*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if f, ok := formOf(o.Returner); !ok {
		return fmt.Errorf("%q is not a returner of this package; use %s or %s", o.Returner, JSONB, Text)
	} else if o.form == (form{}) {
		o.form = f
	}
	hosts := strings.Split(o.Host, ",")
	for i, h := range hosts {
		if hosts[i] = strings.TrimSpace(h); hosts[i] == "" {
			return fmt.Errorf("%s is %q; write names or addresses, separated by commas", o.form.option("host"), o.Host)
		}
	}
	o.Host = strings.Join(hosts, ",")
	switch {
	case o.Port < 1 || o.Port > 65535:
		return fmt.Errorf("%s is %d; use 1 to 65535", o.form.option("port"), o.Port)
	case o.ConnectTimeout < 0:
		return fmt.Errorf("%s is %v; use a number of seconds above 0", o.form.option("connect_timeout"), o.ConnectTimeout)
	case !slices.Contains(sslModes, o.SSLMode):
		return fmt.Errorf("%s is %q; use one of %s", o.form.option("sslmode"), o.SSLMode, strings.Join(sslModes[1:], ", "))
	case (o.SSLCert == "") != (o.SSLKey == ""):
		return fmt.Errorf("%s and %s belong together; set both or none", o.form.option("sslcert"), o.form.option("sslkey"))
	case o.SSLCRL != "" && o.SSLRootCert == "":
		return fmt.Errorf("%s needs %s, the authority that signed the list", o.form.option("sslcrl"), o.form.option("sslrootcert"))
	}
	return nil
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// verifies reports whether the certificate of the server is checked.
func (o *Options) verifies() bool {
	return slices.Contains([]string{"require", "verify-ca", "verify-full"}, o.SSLMode)
}

// keys are the options of both returners except the password.
var keys = []string{"host", "port", "user", "db", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "connect_timeout"}

// OptionsFrom reads the options of a returner from a configuration, which may be flat
// ("returner.pgjsonb.host") or a map ("returner.pgjsonb": {"host": …}). With a prefix,
// "<prefix>.returner.pgjsonb.host" takes precedence. It reports all faults at once.
func OptionsFrom(returner string, values map[string]any, prefix string) (Options, error) {
	f, ok := formOf(returner)
	if !ok {
		return Options{}, errors.New("unknown returner " + returner)
	}
	return f.read(values, prefix)
}

// PillarOptions reads the option postgres, a map of the same names as for pgjsonb, for the
// source of ext_pillar. A replica is enough for it.
func PillarOptions(values map[string]any) (Options, error) {
	o, err := pillar.read(values, "")
	o.ReadOnly = true
	return o, err
}

func (f form) read(values map[string]any, prefix string) (Options, error) {
	r := settings.New(values, prefix)
	text := func(key, def string) string { return r.Text(f.option(key), def) }
	o := Options{
		Returner: f.name, form: f,
		Host: text("host", "localhost"), Port: r.Number(f.option("port"), 5432),
		User: text("user", "salt"), Pass: text(f.pass, "salt"), DB: text("db", "salt"),
		SSLMode: text("sslmode", ""), SSLCert: text("sslcert", ""), SSLKey: text("sslkey", ""),
		SSLRootCert: text("sslrootcert", ""), SSLCRL: text("sslcrl", ""),
		ConnectTimeout: time.Duration(r.Number(f.option("connect_timeout"), 0)) * time.Second,
		ArchiveJobs:    r.Flag("archive_jobs"),
	}
	return o, r.Err()
}

func init() {
	for _, f := range forms {
		returners.Register(returners.Driver{
			Name: f.name, Store: true, Events: true, Doc: f.doc(), Options: f.options(),
			Check: func(ro returners.Options) error {
				o, err := OptionsFrom(f.name, ro.Values, ro.Prefix)
				if err == nil {
					err = o.fill()
				}
				if err == nil {
					_, err = o.config()
				}
				if err != nil {
					return fmt.Errorf("%s returner: %w", f.name, err)
				}
				return nil
			},
			Open: func(ctx context.Context, ro returners.Options) (returners.Saver, error) {
				o, err := OptionsFrom(f.name, ro.Values, ro.Prefix)
				if err != nil {
					return nil, fmt.Errorf("%s returner: %w", f.name, err)
				}
				o.Log, o.Now = ro.Log, ro.Now
				return Open(ctx, o)
			},
		})
	}
}

func (f form) options() []string {
	all := []string{f.option(f.pass)}
	for _, key := range keys {
		all = append(all, f.option(key))
	}
	return all
}

func (f form) doc() string {
	return strings.NewReplacer("NAME", f.name, "PASS", f.pass, "TYPE", f.json).Replace(`
Keeps loads, returns and events in a database of PostgreSQL, in the tables of Salt's
returner of this name, which have columns of type TYPE.

returner.NAME.host, returner.NAME.port : localhost, 5432
    The server. With several hosts, separated by commas, the first one that accepts writes
    is used. A host that begins with a slash is the folder of a socket.
returner.NAME.user, returner.NAME.PASS, returner.NAME.db : salt
    The account and the database.
returner.NAME.connect_timeout : 10
    Seconds to connect to one host.
returner.NAME.sslmode : prefer
    disable, allow, prefer, require, verify-ca or verify-full, as in libpq.
returner.NAME.sslrootcert, returner.NAME.sslcert, returner.NAME.sslkey, returner.NAME.sslcrl
    Files for TLS: the certificate authority, the client's certificate and its key, and the
    certificates that the authority has revoked.

    salt '*' test.ping --return NAME
`)
}
