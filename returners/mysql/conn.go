package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"

	driver "github.com/go-sql-driver/mysql"

	"github.com/momtree/mom/returners"
)

// full is what the driver's connections implement.
type full interface {
	sqldriver.Conn
	sqldriver.ConnBeginTx
	sqldriver.ConnPrepareContext
	sqldriver.ExecerContext
	sqldriver.QueryerContext
	sqldriver.Pinger
	sqldriver.SessionResetter
	sqldriver.Validator
	sqldriver.NamedValueChecker
}

// conn is a connection that reports failures to its host. Once its host has failed it is
// not used again.
type conn struct {
	full
	host   *host
	life   uint64
	others bool // the list has further hosts
	// state is why the host is not the best to use: errReadOnly or errBehind; nil: it is.
	state error
}

var (
	errReadOnly = errors.New("the server is read-only")
	errBehind   = errors.New("the server copies its data to another or does not have all of it yet")
)

// newConn wraps a connection. It asks the server what it is: a node of a Galera cluster may
// not be part of the cluster, and a replica takes no writes. At a Galera node each statement
// first waits until the node has what other nodes have committed (wsrep_sync_wait): after a
// change of host, reads and updates see the rows stored before.
func newConn(ctx context.Context, raw sqldriver.Conn, h *host, life uint64, others bool) (_ *conn, err error) {
	f, ok := raw.(full)
	if !ok {
		return nil, errors.Join(fmt.Errorf("connection of type %T lacks methods", raw), raw.Close())
	}
	c := &conn{full: f, host: h, life: life, others: others}
	defer func() {
		if err != nil {
			_ = raw.Close()
		}
	}()
	vars, err := c.show(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'wsrep_on')")
	if err != nil {
		return nil, err
	}
	if others && vars["read_only"] != "" && vars["read_only"] != "OFF" {
		c.state = errReadOnly
	}
	if vars["wsrep_on"] != "ON" {
		return c, nil
	}
	status, err := c.show(ctx, "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_local_state')")
	if err != nil {
		return nil, err
	}
	if status["wsrep_ready"] == "OFF" {
		return nil, &driver.MySQLError{Number: notReady, Message: "the node is not part of the cluster (wsrep_ready is OFF)"}
	}
	if s := status["wsrep_local_state"]; others && s != "" && s != synced {
		c.state = errBehind
	}
	_, err = f.ExecContext(ctx, "SET SESSION wsrep_sync_wait = 7", nil)
	return c, err
}

const (
	notReady = 1047 // Galera: the node is not part of the cluster
	synced   = "4"  // wsrep_local_state
)

// show reads names and values.
func (c *conn) show(ctx context.Context, query string) (map[string]string, error) {
	rows, err := c.full.QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]string{}
	for row := make([]sqldriver.Value, len(rows.Columns())); ; {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case len(row) >= 2:
			all[text(row[0])] = text(row[1])
		}
	}
}

func text(v sqldriver.Value) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

// hear notes a failure that concerns the host, and returns it unchanged.
func (c *conn) hear(err error) error {
	if err != nil && c.away(err) {
		c.host.fail(c.life)
	}
	return err
}

// away reports whether another connection is better after this failure.
func (c *conn) away(err error) bool {
	var me *driver.MySQLError
	switch {
	case errors.Is(err, sqldriver.ErrBadConn), errors.Is(err, context.Canceled):
		return false // an old connection, closed before use; the caller's wish
	case errors.Is(err, context.DeadlineExceeded):
		return c.others // it hangs, or is slow
	case errors.As(err, &me) && me.Number == 1317: // one statement was ended
		return false
	}
	switch classOf(err) {
	case returners.ClassConnection:
		return true
	case returners.ClassFull:
		return c.others
	}
	return false
}

func (c *conn) alive() bool {
	life, _ := c.host.now()
	return life == c.life
}

// Close ends the connection. An error would only say that the server has ended it before.
func (c *conn) Close() error {
	_ = c.full.Close()
	return nil
}

// IsValid reports whether the connection may be kept.
func (c *conn) IsValid() bool { return c.alive() && c.full.IsValid() }

// ResetSession is called before each use of a kept connection.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.alive() {
		return sqldriver.ErrBadConn
	}
	return c.full.ResetSession(ctx)
}

func (c *conn) Ping(ctx context.Context) error { return c.hear(c.full.Ping(ctx)) }

func (c *conn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	r, err := c.full.ExecContext(ctx, query, args)
	return r, c.hear(err)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	r, err := c.full.QueryContext(ctx, query, args)
	return r, c.hear(err)
}

func (c *conn) BeginTx(ctx context.Context, opts sqldriver.TxOptions) (sqldriver.Tx, error) {
	t, err := c.full.BeginTx(ctx, opts)
	if err != nil {
		return nil, c.hear(err)
	}
	return tx{t, c}, nil
}

func (c *conn) PrepareContext(ctx context.Context, query string) (sqldriver.Stmt, error) {
	s, err := c.full.PrepareContext(ctx, query)
	if err != nil {
		return nil, c.hear(err)
	}
	f, ok := s.(fullStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("statement of type %T lacks methods", s), s.Close())
	}
	return stmt{f, c}, nil
}

type tx struct {
	sqldriver.Tx
	c *conn
}

func (t tx) Commit() error { return t.c.hear(t.Tx.Commit()) }

// fullStmt is what the driver's prepared statements implement.
type fullStmt interface {
	sqldriver.Stmt
	sqldriver.StmtExecContext
	sqldriver.StmtQueryContext
	sqldriver.NamedValueChecker
}

type stmt struct {
	fullStmt
	c *conn
}

func (s stmt) ExecContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	r, err := s.fullStmt.ExecContext(ctx, args)
	return r, s.c.hear(err)
}

func (s stmt) QueryContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	r, err := s.fullStmt.QueryContext(ctx, args)
	return r, s.c.hear(err)
}
