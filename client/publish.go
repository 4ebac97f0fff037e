package client

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Job is what to run, and where.
type Job struct {
	// Tgt is the target: text, or []string for TgtType "list".
	Tgt     any
	TgtType string // glob (default), pcre, list, grain, …
	// Fun is a function name; several run in one job.
	Fun []string
	// Arg are the arguments: of one function, or one list per function. Keyword
	// arguments are one *wire.Map with the key __kwarg__.
	Arg []any
	// Ret names returners the minions hand their results to, comma separated.
	Ret string
	// JID is the job id; "" lets the master choose.
	JID string
	// Timeout is when a minion without presence is asked whether it still
	// runs the job, in whole seconds, rounded up. Default: the master's option
	// `timeout`.
	Timeout time.Duration
	// Queue is how long minions that are away when the job is published are
	// waited for: each gets the job when it returns. At most a year; 0: they do not
	// get it.
	Queue time.Duration
	// Kwargs are the extras of a publication: metadata, delimiter, …
	Kwargs *wire.Map
}

// Published is a master's answer to a publication.
type Published struct {
	JID     string
	Minions []string // the master's own minions that the target matches
	Missing []string // ids of a list target that are not its own
	Nodes   []string // nodes below that were handed the job
	// Tells is whether the master tells when the job is complete. A Python
	// master does not, and following a job of its would never end.
	Tells bool
}

// Publish starts a job and does not wait for it. A target that matches nobody
// gives [ErrNoMatch], a refusal a [*Refused].
func (c *Client) Publish(ctx context.Context, j Job) (Published, error) {
	reply, err := c.send(ctx, j.load())
	if err != nil {
		return Published{}, fmt.Errorf("publish: %w", err)
	}
	d := reply.Map("load")
	if d == nil {
		return Published{}, fmt.Errorf("publish: the master's answer has no load")
	}
	p := Published{JID: d.String("jid"), Minions: d.Strings("minions"), Missing: d.Strings("missing"), Nodes: d.Strings("nodes"), Tells: d.Has("nodes")}
	if p.JID == "" {
		return p, fmt.Errorf("publish: %w: %v", ErrNoMatch, j.Tgt)
	}
	return p, nil
}

func (j Job) load() *wire.Map {
	tgtType := j.TgtType
	if tgtType == "" {
		tgtType = "glob"
	}
	var fun any = j.Fun
	if len(j.Fun) == 1 {
		fun = j.Fun[0]
	}
	arg := j.Arg
	if arg == nil {
		arg = []any{}
	}
	kwargs := j.Kwargs
	if kwargs == nil {
		kwargs = wire.NewMap()
	}
	if j.Queue > 0 {
		kwargs = kwargs.Clone()
		kwargs.Set("queue_until", time.Now().Add(j.Queue).Unix())
	}
	m := wire.NewMap("cmd", "publish", "tgt", j.Tgt, "fun", fun, "arg", arg, "key", "", "tgt_type", tgtType,
		"ret", j.Ret, "jid", j.JID)
	if j.Timeout > 0 {
		seconds := int64((j.Timeout + time.Second - 1) / time.Second)
		m.Set("timeout", seconds)
		m.Set("to", seconds)
	}
	m.Set("kwargs", kwargs)
	return m
}
