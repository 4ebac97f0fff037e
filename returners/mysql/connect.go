package mysql

import (
	"database/sql"
	sqldriver "database/sql/driver"
	"fmt"
	"log/slog"
	"net"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/returners/internal/settings"
)

// config returns the settings of the driver for a server, host:port or the path of a socket.
// The session is strict, so that an oversized text is an error instead of being truncated. It
// uses UTC and utf8mb4.
func (o *Options) config(addr string) (*driver.Config, error) {
	c := driver.NewConfig()
	c.User, c.Passwd, c.DBName = o.User, o.Pass, o.DB
	c.Net, c.Addr = "tcp", addr
	if o.UnixSocket != "" {
		c.Net = "unix"
	}
	c.Timeout, c.ReadTimeout, c.WriteTimeout = min(o.Timeout, 10*time.Second), o.Timeout, o.Timeout
	c.Collation = "utf8mb4_general_ci" // known to MariaDB and MySQL alike
	c.ParseTime = true
	c.Loc = time.UTC
	c.InterpolateParams = true // one round trip for a statement without a prepared one
	c.MaxAllowedPacket = 0     // ask the server
	c.RejectReadOnly = true    // a primary that became a replica: reconnect
	c.Params = map[string]string{"time_zone": "'+00:00'", "sql_mode": "'STRICT_TRANS_TABLES'"}
	c.Logger = notes{o.Log}
	if err := o.secure(c, addr); err != nil {
		return nil, err
	}
	return c, nil
}

// Connector returns a connector to the database in o, for other uses than jobs.
func Connector(o Options) (sqldriver.Connector, error) {
	if err := o.fill(); err != nil {
		return nil, err
	}
	return newHosts(&o, false)
}

// notes logs the driver's messages about broken connections. The call returns the error
// too, hence the debug level.
type notes struct{ log *slog.Logger }

func (n notes) Print(v ...any) { n.log.Debug("mysql driver", "note", fmt.Sprint(v...)) }

func (o *Options) secure(c *driver.Config, addr string) (err error) {
	if o.SSLCA == "" && o.SSLCert == "" {
		return nil
	}
	name := o.Host
	if host, _, err := net.SplitHostPort(addr); err == nil && o.UnixSocket == "" {
		name = host
	}
	c.TLS, err = settings.TLS{Prefix: "mysql.ssl_", ServerName: name, CA: o.SSLCA, Cert: o.SSLCert, Key: o.SSLKey}.Config()
	return err
}

// connect opens a pool. slow removes the time limits of reads and writes, for statements
// that rebuild a table.
func (o *Options) connect(slow bool) (*sql.DB, error) {
	h, err := newHosts(o, slow)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(h)
	db.SetMaxOpenConns(o.Conns)
	db.SetMaxIdleConns(o.Conns)
	db.SetConnMaxLifetime(o.Lifetime)
	db.SetConnMaxIdleTime(o.Lifetime / 3)
	return db, nil
}

// where returns the name of the database for messages, without the password.
func (o *Options) where() string {
	return fmt.Sprintf("%s@%s/%s", o.User, o.names(), o.DB)
}
