package mysql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Name is the name of this returner in the configuration.
const Name = "mysql"

// Options configure a Store. The first part are Salt's mysql.* options.
type Options struct {
	// Host is the server, default "salt": several are separated by commas, in the order of
	// preference, each with a port of its own (host:port) or Port.
	Host       string
	Port       int    // default 3306
	User       string // default "salt"
	Pass       string // default "salt" when read from a configuration
	DB         string // default "salt"
	UnixSocket string // used instead of Host and Port if set
	SSLCA      string // certificate authority file; it or SSLCert enables TLS
	SSLCert    string // client certificate file
	SSLKey     string // its key file

	// ReadOnly leaves the tables unchanged, so an account that may only read them is
	// enough. The store cannot write.
	ReadOnly bool

	// ArchiveJobs makes Clean copy rows to <table>_archive before it removes them (Salt's
	// archive_jobs).
	ArchiveJobs bool

	Conns    int           // most connections; 0 = 4
	Lifetime time.Duration // of a connection; 0 = 3 minutes
	Timeout  time.Duration // of connecting, and of each read and write; 0 = 30 s
	Rest     time.Duration // how long a host that failed is tried after the others; 0 = 10 s

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

func (o *Options) fill() error {
	if o.Host == "" {
		o.Host = "salt"
	}
	if o.Port == 0 {
		o.Port = 3306
	}
	if o.User == "" {
		o.User = "salt"
	}
	if o.DB == "" {
		o.DB = "salt"
	}
	if o.Conns <= 0 {
		o.Conns = 4
	}
	if o.Lifetime <= 0 {
		o.Lifetime = 3 * time.Minute
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Port < 1 || o.Port > 65535 {
		return fmt.Errorf("mysql.port is %d; use 1 to 65535", o.Port)
	}
	if (o.SSLCert == "") != (o.SSLKey == "") {
		return errors.New("mysql.ssl_cert and mysql.ssl_key belong together; set both or none")
	}
	_, err := o.addresses()
	return err
}

// OptionsFrom reads the mysql.* options of a configuration, which may be flat
// ("mysql.host") or a map ("mysql": {"host": …}). With a prefix, "<prefix>.mysql.host"
// takes precedence over "mysql.host". It reports all faults at once.
func OptionsFrom(values map[string]any, prefix string) (Options, error) {
	r := settings.New(values, prefix)
	o := Options{
		Host: r.Text("mysql.host", "salt"), Port: r.Number("mysql.port", 3306), User: r.Text("mysql.user", "salt"),
		Pass: r.Text("mysql.pass", "salt"), DB: r.Text("mysql.db", "salt"), UnixSocket: r.Text("mysql.unix_socket", ""),
		SSLCA: r.Text("mysql.ssl_ca", ""), SSLCert: r.Text("mysql.ssl_cert", ""), SSLKey: r.Text("mysql.ssl_key", ""),
		ArchiveJobs: r.Flag("archive_jobs"),
	}
	return o, r.Err()
}

func init() {
	returners.Register(returners.Driver{
		Name: Name, Store: true, Events: true,
		Doc: `
Keeps loads, returns and events in a database of MySQL or MariaDB, in the tables of Salt's
returner of this name.

mysql.host, mysql.port : salt, 3306
mysql.unix_socket
    The server, or its socket in the place of that. Several servers of one cluster are
    separated by commas (db1,db2:3307), the preferred one first: the first that takes
    writes is used.
mysql.user, mysql.pass, mysql.db : salt
    The account and the database.
mysql.ssl_ca, mysql.ssl_cert, mysql.ssl_key
    Files for TLS: the certificate authority, the client's certificate and its key.

    salt '*' test.ping --return mysql
`,
		Options: []string{
			"mysql.host", "mysql.port", "mysql.unix_socket", "mysql.user", "mysql.pass", "mysql.db", "mysql.ssl_ca", "mysql.ssl_cert", "mysql.ssl_key",
		},
		Open: func(ctx context.Context, ro returners.Options) (returners.Saver, error) {
			o, err := OptionsFrom(ro.Values, ro.Prefix)
			if err != nil {
				return nil, fmt.Errorf("mysql returner: %w", err)
			}
			o.Log, o.Now = ro.Log, ro.Now
			return Open(ctx, o)
		},
	})
}
