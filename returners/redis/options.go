package redis

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/settings"
)

// Name is the name of this returner in the configuration.
const Name = "redis"

// Options configure a Store. The first part are the redis.* options.
type Options struct {
	Host     string // default "salt"
	Port     int    // default 6379
	Socket   string // unix_socket_path, used instead of Host and Port if set
	DB       int    // number of the database; 0 in a cluster
	Username string // of an ACL; "" is the server's default user
	Password string

	// Nodes are the addresses (HOST:PORT) of some members of a cluster; none: one server.
	Nodes []string

	SSL     bool   // TLS, with the system's authorities unless SSLCA is set
	SSLCA   string // certificate authority file; it or SSLCert enables TLS
	SSLCert string // client certificate file
	SSLKey  string // its key file

	Keep time.Duration // after which the keys of a job expire; 0 = never

	Conns   int           // most connections, in a cluster to each member; 0 = 4
	Timeout time.Duration // of connecting, and of each read and write; 0 = 10 s

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now
}

func (o *Options) fill() error {
	if o.Host == "" {
		o.Host = "salt"
	}
	if o.Port == 0 {
		o.Port = 6379
	}
	if o.Conns <= 0 {
		o.Conns = 4
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Port < 1 || o.Port > 65535 {
		return fmt.Errorf("redis.port is %d; use 1 to 65535", o.Port)
	}
	if o.DB < 0 || len(o.Nodes) > 0 && o.DB != 0 {
		return fmt.Errorf("redis.db is %d; use 0 or above, in a cluster 0", o.DB)
	}
	if (o.SSLCert == "") != (o.SSLKey == "") {
		return errors.New("redis.ssl_cert and redis.ssl_key belong together; set both or none")
	}
	return nil
}

// OptionsFrom reads the redis.* options of a configuration, which may be flat ("redis.host")
// or a map ("redis": {"host": …}), and keep_jobs_seconds. With a prefix,
// "<prefix>.redis.host" takes precedence over "redis.host". It reports all faults at once.
func OptionsFrom(values map[string]any, prefix string) (Options, error) {
	r := settings.New(values, prefix)
	o := Options{
		Host: r.Text("redis.host", "salt"), Port: r.Number("redis.port", 6379), Socket: r.Text("redis.unix_socket_path", ""),
		DB: r.Number("redis.db", 0), Username: r.Text("redis.username", ""), Password: r.Text("redis.password", ""),
		SSL: r.Flag("redis.ssl"), SSLCA: r.Text("redis.ssl_ca", ""), SSLCert: r.Text("redis.ssl_cert", ""), SSLKey: r.Text("redis.ssl_key", ""),
		Keep: r.Keep(),
	}
	if r.Flag("redis.cluster_mode") {
		o.Nodes = nodes(r)
	}
	return o, r.Err()
}

// nodes reads redis.cluster.startup_nodes, a list of {host: , port: }.
func nodes(r *settings.Reader) []string {
	name, v := r.Get("redis.cluster.startup_nodes")
	list, _ := v.([]any)
	var out []string
	for i, e := range list {
		m, ok := e.(map[string]any)
		of := settings.New(m, "")
		host, port := of.Text("host", ""), of.Number("port", 6379)
		if !ok || host == "" || port < 1 || port > 65535 || of.Err() != nil {
			r.Fault("%s: entry %d must have host and port", name, i+1)
			continue
		}
		out = append(out, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	if len(list) == 0 {
		r.Fault("%s must list the host and port of at least one member, since redis.cluster_mode is set", name)
	}
	return out
}

func init() {
	returners.Register(returners.Driver{
		Name: Name, Store: true,
		Doc: `
Keeps loads and returns in Redis or Valkey, under the keys of Salt's returner of this name.
They expire after keep_jobs_seconds.

redis.host, redis.port : salt, 6379
redis.unix_socket_path
    The server, or its socket in the place of that.
redis.db : 0
    The number of the database.
redis.username, redis.password
    The account. Without a name, that of the server's default user.
redis.cluster_mode : false
redis.cluster.startup_nodes
    For a cluster: true, and a list of the host and port of some members.
redis.cluster.skip_full_coverage_check
    Has no effect: the cluster is never asked for its configuration.
redis.ssl : false
redis.ssl_ca, redis.ssl_cert, redis.ssl_key
    TLS, and its files: the certificate authority, the client's certificate and its key.

With the prefix cache. they are the options of cache: redis, where redis.host is localhost.

    salt '*' test.ping --return redis
`,
		Options: []string{
			"redis.host", "redis.port", "redis.unix_socket_path", "redis.db", "redis.username", "redis.password",
			"redis.cluster_mode", "redis.cluster.startup_nodes", "redis.cluster.skip_full_coverage_check",
			"redis.ssl", "redis.ssl_ca", "redis.ssl_cert", "redis.ssl_key",
		},
		Check: func(ro returners.Options) error {
			o, err := configured(ro)
			if err == nil {
				_, err = o.secure()
			}
			if err != nil {
				return fmt.Errorf("redis returner: %w", err)
			}
			return nil
		},
		Open: func(ctx context.Context, ro returners.Options) (returners.Saver, error) {
			o, err := configured(ro)
			if err != nil {
				return nil, fmt.Errorf("redis returner: %w", err)
			}
			return Open(ctx, o)
		},
		Cache: func(ro returners.Options) (returners.Cache, error) { return OpenCache(ro) },
	})
}

// configured reads and checks the options of a configuration.
func configured(ro returners.Options) (Options, error) {
	o, err := OptionsFrom(ro.Values, ro.Prefix)
	o.Log, o.Now = ro.Log, ro.Now
	return o, errors.Join(err, o.fill())
}
