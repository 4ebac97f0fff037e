package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	driver "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

func init() { driver.SetLogger(notes{}) }

// notes logs the driver's messages about broken connections. The call returns the error
// too, hence the debug level.
type notes struct{}

func (notes) Printf(ctx context.Context, format string, v ...any) {
	slog.DebugContext(ctx, "redis driver", "note", fmt.Sprintf(format, v...))
}

// connect creates the pool of connections. It does not connect.
func (o *Options) connect() (driver.UniversalClient, error) {
	secure, err := o.secure()
	if err != nil {
		return nil, err
	}
	// No CLIENT SETINFO and no CLIENT MAINT_NOTIFICATIONS: old servers reject both.
	if len(o.Nodes) > 0 {
		return driver.NewClusterClient(&driver.ClusterOptions{
			Addrs: o.Nodes, Username: o.Username, Password: o.Password, TLSConfig: secure, PoolSize: o.Conns,
			DialTimeout: o.Timeout, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout, ContextTimeoutEnabled: true, Protocol: 2, DisableIdentity: true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		}), nil
	}
	network, addr := "tcp", net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
	if o.Socket != "" {
		network, addr = "unix", o.Socket
	}
	return driver.NewClient(&driver.Options{
		Network: network, Addr: addr, DB: o.DB, Username: o.Username, Password: o.Password, TLSConfig: secure, PoolSize: o.Conns,
		DialTimeout: o.Timeout, DialerRetries: 1, ReadTimeout: o.Timeout, WriteTimeout: o.Timeout, PoolTimeout: o.Timeout, ContextTimeoutEnabled: true, Protocol: 2, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}), nil
}

// secure returns the settings of TLS, nil for none.
func (o *Options) secure() (*tls.Config, error) {
	if !o.SSL && o.SSLCA == "" && o.SSLCert == "" {
		return nil, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(o.Nodes) == 0 { // in a cluster each member has its own
		t.ServerName = o.Host
	}
	if o.SSLCA != "" {
		pem, err := os.ReadFile(o.SSLCA)
		if err != nil {
			return nil, fmt.Errorf("redis.ssl_ca: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("redis.ssl_ca: %s does not hold a PEM certificate", o.SSLCA)
		}
	}
	if o.SSLCert != "" {
		pair, err := tls.LoadX509KeyPair(o.SSLCert, o.SSLKey)
		if err != nil {
			return nil, fmt.Errorf("redis.ssl_cert and redis.ssl_key: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

// where returns the address of the server for messages, without the password.
func (o *Options) where() string {
	at := net.JoinHostPort(o.Host, strconv.Itoa(o.Port))
	switch {
	case len(o.Nodes) > 0:
		return "cluster of " + strings.Join(o.Nodes, ", ")
	case o.Socket != "":
		at = o.Socket
	}
	return fmt.Sprintf("%s db %d", at, o.DB)
}
