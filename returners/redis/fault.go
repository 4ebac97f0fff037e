package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/returners"
)

// Classes of failures, for metrics and logs.
const (
	ClassConnection = "connection" // the server is away, loads its data, or may not write
	ClassAccess     = "access"     // the account may not log in or lacks rights
	ClassFull       = "full"       // maxmemory or the server's disk
	ClassSchema     = "schema"     // a key that all jobs share has another type
	ClassData       = "data"       // the server refuses this row
	ClassOther      = "other"
)

// classes maps the first word of a reply to its class. Others are of ClassOther.
var classes = map[string]string{
	"LOADING": ClassConnection, "BUSY": ClassConnection, "READONLY": ClassConnection, "MASTERDOWN": ClassConnection, "NOREPLICAS": ClassConnection,
	"CLUSTERDOWN": ClassConnection, "TRYAGAIN": ClassConnection, "MOVED": ClassConnection, "ASK": ClassConnection, "UNKILLABLE": ClassConnection,
	"NOAUTH": ClassAccess, "WRONGPASS": ClassAccess, "NOPERM": ClassAccess, "DENIED": ClassAccess,
	"OOM": ClassFull, "MISCONF": ClassFull,
	"WRONGTYPE": ClassData,
}

// phrases are parts of replies that begin with ERR only.
var phrases = []struct{ part, class string }{
	{"max number of clients", ClassConnection},
	{"WRONGTYPE", ClassData}, // in a script, before Redis 7
	{"OOM ", ClassFull},
	{"AUTH", ClassAccess},
	{"invalid password", ClassAccess},
	{"DB index is out of range", ClassAccess},
	{"SELECT is not allowed", ClassAccess},
	{"unknown command", ClassAccess}, // renamed or forbidden
	{"Protocol error", ClassData},
	{"string exceeds maximum allowed size", ClassData},
}

func classOf(err error) string {
	var reply driver.Error
	var ne net.Error
	switch {
	case errors.Is(err, driver.ErrClosed), errors.Is(err, driver.ErrPoolTimeout), errors.Is(err, driver.ErrPoolExhausted),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne):
		return ClassConnection
	case errors.As(err, &reply):
		text := reply.Error()
		word, _, _ := strings.Cut(text, " ")
		if c, ok := classes[word]; ok {
			return c
		}
		for _, p := range phrases {
			if strings.Contains(text, p.part) {
				return p.class
			}
		}
	}
	return ClassOther
}

// Fault is a classified failure of the server. It unwraps to the driver's error and to a
// sentinel: returners.ErrUnavailable or ErrFull if a retry may help, ErrRejected if not.
type Fault struct {
	class string
	doing string
	where string
	err   error
}

// Class returns one of the Class constants.
func (f *Fault) Class() string { return f.class }

func (f *Fault) Error() string {
	return fmt.Sprintf("redis %s: %s: %v%s", f.where, f.doing, f.err, advice[f.class])
}

var advice = map[string]string{
	ClassConnection: "; check that the server runs, takes connections from here and is writable",
	ClassAccess:     "; check redis.username, redis.password and redis.db, and that the account may use all keys and the commands of the redis page of the guide",
	ClassFull:       "; raise maxmemory of the server, lower keep_jobs_seconds, or free its disk",
	ClassSchema:     "; another program uses this key: rename or delete it, or choose another redis.db",
	ClassData:       "; the row is refused as it is",
}

// Unwrap returns the sentinel and the cause.
func (f *Fault) Unwrap() []error {
	switch f.class {
	case ClassConnection, ClassAccess, ClassSchema:
		return []error{returners.ErrUnavailable, f.err}
	case ClassFull:
		return []error{returners.ErrFull, f.err}
	case ClassData:
		return []error{returners.ErrRejected, f.err}
	}
	return []error{f.err}
}

// fault classifies an error. It returns classified errors and errors of a context
// unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed):
		return err
	case s.closing.Load():
		return fmt.Errorf("redis %s: %s: %w: %w", s.o.where(), doing, returners.ErrClosed, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("redis %s: %s: %w", s.o.where(), doing, err)
	}
	return &Fault{class: classOf(err), doing: doing, where: s.o.where(), err: err}
}

// faultOf returns the failure of a pipeline that matters most: one of the server before one
// of a row. A row is not at fault for a key that all jobs share. Missing values are no
// failures.
func (s *Store) faultOf(doing string, cmds []driver.Cmder) error {
	var row error
	for _, c := range cmds {
		err := c.Err()
		if err == nil || errors.Is(err, driver.Nil) {
			continue
		}
		err = s.fault(doing, err)
		var f *Fault
		if !errors.As(err, &f) || f.class != ClassData {
			return err
		}
		key := keyOf(c)
		f.doing += " (key " + key + ")"
		if key == minionsKey || key == jobsKey {
			f.class = ClassSchema
			return f
		}
		if row == nil {
			row = f
		}
	}
	return row
}

// keyOf returns the key that a command is about.
func keyOf(c driver.Cmder) string {
	at, args := 1, c.Args()
	if name := c.Name(); name == "eval" || name == "evalsha" {
		at = 3
	}
	if at < len(args) {
		return fmt.Sprint(args[at])
	}
	return ""
}
