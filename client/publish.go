package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/tracing"
)

// Published is a master's answer to a publication.
type Published struct {
	JID     string
	Minions []string // who has to answer in the whole tree, as far as nodes have said
	Own     []string // those of them that are the master's own; nil where that is not known
	Missing []string // ids of a list target that nobody is known to have
	Nodes   []string // nodes below that were handed the job
	// Pending are the paths of nodes that have not said which minions they have: Minions
	// lacks those. Nodes of ours say it at once; Python syndics say it with their returns.
	Pending []string
	// Tells is whether the master tells when the job is complete. A Python
	// master does not, and following a job of its would never end.
	Tells bool
}

// Publish starts a job and does not wait for it. A target that matches nobody
// gives [ErrNoMatch], a refusal a [*Refused], a target that cannot be what is meant a
// [*TargetError].
func (c *Client) Publish(ctx context.Context, j Job) (Published, error) {
	if err := c.expand(&j); err != nil {
		return Published{}, err
	}
	load, err := j.load()
	if err != nil {
		return Published{}, fmt.Errorf("publish: %w", err)
	}
	tracing.CarrierOf(ctx).Put(load)
	reply, err := c.send(ctx, load)
	if err != nil {
		return Published{}, fmt.Errorf("publish: %w", err)
	}
	d := reply.Map("load")
	if d == nil {
		return Published{}, errors.New("publish: the master's answer has no load")
	}
	p := Published{JID: d.String("jid"), Minions: d.Strings("minions"), Missing: d.Strings("missing"), Nodes: d.Strings("nodes"), Pending: d.Strings("pending"), Tells: d.Has("nodes")}
	if p.Own = p.Minions; d.Has("own") {
		p.Own = d.Strings("own")
	}
	if p.JID == "" {
		return p, fmt.Errorf("publish: %w: %v", ErrNoMatch, j.Tgt)
	}
	return p, nil
}
