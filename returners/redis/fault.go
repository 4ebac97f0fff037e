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

// classes maps the first word of a reply to its class. Others are of returners.ClassOther.
var classes = map[string]string{
	"LOADING":     returners.ClassConnection,
	"BUSY":        returners.ClassConnection,
	"READONLY":    returners.ClassConnection,
	"MASTERDOWN":  returners.ClassConnection,
	"NOREPLICAS":  returners.ClassConnection,
	"CLUSTERDOWN": returners.ClassConnection,
	"TRYAGAIN":    returners.ClassConnection,
	"MOVED":       returners.ClassConnection,
	"ASK":         returners.ClassConnection,
	"UNKILLABLE":  returners.ClassConnection,
	"NOAUTH":      returners.ClassAccess,
	"WRONGPASS":   returners.ClassAccess,
	"NOPERM":      returners.ClassAccess,
	"DENIED":      returners.ClassAccess,
	"OOM":         returners.ClassFull,
	"MISCONF":     returners.ClassFull,
	"WRONGTYPE":   returners.ClassData,
}

// phrases are parts of replies that begin with ERR only.
var phrases = []struct{ part, class string }{
	{"max number of clients", returners.ClassConnection},
	{"WRONGTYPE", returners.ClassData}, // in a script, before Redis 7
	{"OOM ", returners.ClassFull},
	{"AUTH", returners.ClassAccess},
	{"invalid password", returners.ClassAccess},
	{"DB index is out of range", returners.ClassAccess},
	{"SELECT is not allowed", returners.ClassAccess},
	{"unknown command", returners.ClassAccess}, // renamed or forbidden
	{"Protocol error", returners.ClassData},
	{"string exceeds maximum allowed size", returners.ClassData},
}

func classOf(err error) string {
	var reply driver.Error
	var ne net.Error
	switch {
	case errors.Is(err, driver.ErrClosed), errors.Is(err, driver.ErrPoolTimeout), errors.Is(err, driver.ErrPoolExhausted),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.As(err, &ne):
		return returners.ClassConnection
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
	return returners.ClassOther
}

var advice = map[string]string{
	returners.ClassConnection: "check that the server runs, takes connections from here and is writable",
	returners.ClassAccess:     "check redis.username, redis.password and redis.db, and that the account may use all keys and the commands of the redis page of the guide",
	returners.ClassFull:       "raise maxmemory of the server, lower keep_jobs_seconds, or free its disk",
	returners.ClassSchema:     "another program uses this key: rename or delete it, or choose another redis.db",
	returners.ClassData:       "the row is refused as it is",
}

// fault classifies an error. It returns classified errors and errors of a context
// unchanged.
func (s *Store) fault(doing string, err error) error {
	var f *returners.Fault
	switch {
	case err == nil, errors.As(err, &f), errors.Is(err, returners.ErrClosed):
		return err
	case s.closing.Load():
		return fmt.Errorf("redis %s: %s: %w: %w", s.o.where(), doing, returners.ErrClosed, err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("redis %s: %s: %w", s.o.where(), doing, err)
	}
	return s.failure(classOf(err), doing, err)
}

// failure returns a classified failure.
func (s *Store) failure(class, doing string, err error) error {
	return &returners.Fault{Returner: Name, Where: s.o.where(), Doing: doing, Class: class, Advice: advice[class], Err: err}
}

// refuse returns the error of a row that cannot be written as JSON.
func (s *Store) refuse(what string, err error) error {
	return s.failure(returners.ClassData, "write the "+what+" as JSON", err)
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
		var f *returners.Fault
		if !errors.As(err, &f) || f.Class != returners.ClassData {
			return err
		}
		key := keyOf(c)
		f.Doing += " (key " + key + ")"
		if key == minionsKey || key == jobsKey {
			f.Class, f.Advice = returners.ClassSchema, advice[returners.ClassSchema]
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
