package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// config returns the settings of the driver. Statements are not prepared, so that a pooler
// between master and server may change the connection after each one.
func (o *Options) config() (*pgx.ConnConfig, error) {
	session := "read-write"
	if o.ReadOnly {
		session = "any"
	}
	var b strings.Builder
	for _, kv := range [][2]string{
		{"host", o.Host},
		{"port", strconv.Itoa(o.Port)},
		{"user", o.User},
		{"password", o.Pass},
		{"dbname", o.DB},
		{"target_session_attrs", session},
		{"application_name", "mom"},
		{"client_encoding", "UTF8"},
		{"sslmode", o.SSLMode},
		{"sslcert", o.SSLCert},
		{"sslkey", o.SSLKey},
		{"sslrootcert", o.SSLRootCert},
	} {
		if kv[1] != "" {
			fmt.Fprintf(&b, "%s='%s' ", kv[0], quoted.Replace(kv[1]))
		}
	}
	c, err := pgx.ParseConfig(b.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.form.option("*"), err)
	}
	c.ConnectTimeout = o.ConnectTimeout
	c.DialFunc = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	return c, o.revoke(c)
}

// quoted escapes a value of a connection string.
var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// revoke makes connections check sslcrl.
func (o *Options) revoke(c *pgx.ConnConfig) error {
	if o.SSLCRL == "" {
		return nil
	}
	check, err := readCRL(o.SSLCRL)
	if err != nil {
		return fmt.Errorf("%s: %w", o.form.option("sslcrl"), err)
	}
	all := []*tls.Config{c.TLSConfig}
	for _, f := range c.Fallbacks {
		all = append(all, f.TLSConfig)
	}
	for _, t := range all {
		if t != nil {
			t.VerifyConnection = check
		}
	}
	return nil
}

// Connector returns a connector to the database in o, for other uses than jobs.
func Connector(o Options) (sqldriver.Connector, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	return stdlib.GetConnector(*c), nil
}

// connect opens a pool.
func (o *Options) connect() (*sql.DB, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*c)
	db.SetMaxOpenConns(o.Conns)
	db.SetMaxIdleConns(o.Conns)
	db.SetConnMaxLifetime(o.Lifetime)
	db.SetConnMaxIdleTime(o.Lifetime / 3)
	return db, nil
}

// where returns the name of the database for messages, without the password.
func (o *Options) where() string {
	return fmt.Sprintf("%s@%s:%d/%s", o.User, o.Host, o.Port, o.DB)
}

// within runs f and cancels its context when the server is silent for Options.Timeout. f
// calls progress when the server has sent something.
func (s *Store) within(ctx context.Context, doing string, f func(ctx context.Context, progress func()) error) error {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := time.AfterFunc(s.o.Timeout, func() { cancel(errSilent) })
	defer t.Stop()
	err := f(limited, func() { t.Reset(s.o.Timeout) })
	if err != nil && context.Cause(limited) == errSilent { //nolint:errorlint // the cause itself, not an error that wraps it
		err = fmt.Errorf("%w for %v: %w", errSilent, s.o.Timeout, err)
	}
	return s.fault(ctx, doing, err)
}
