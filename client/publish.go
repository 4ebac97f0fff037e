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
	Minions []string // minions that must answer in the whole tree, as far as nodes have reported them
	Own     []string // those directly at the master; nil if unknown
	Missing []string // ids of a list target that no node is known to have
	Nodes   []string // nodes below that the job was sent to
	// Pending are the paths of nodes that have not reported their minions yet, which Minions
	// lacks. mom's nodes report them at once; Python syndics do with their returns.
	Pending []string
	// ReportsEnd is whether the master reports when the job is complete. A Python master does
	// not; see [Client.Follow].
	ReportsEnd bool
}

// Publish publishes a job and does not wait for returns. It returns [ErrNoMatch] if the target
// matches no minion, a [*Refused] if the master refuses, and a [*TargetError] for an invalid
// target.
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
	p := Published{JID: d.String("jid"), Minions: d.Strings("minions"), Missing: d.Strings("missing"), Nodes: d.Strings("nodes"), Pending: d.Strings("pending"), ReportsEnd: d.Has("nodes")}
	if p.Own = p.Minions; d.Has("own") {
		p.Own = d.Strings("own")
	}
	if p.JID == "" {
		return p, fmt.Errorf("publish: %w: %v", ErrNoMatch, j.Tgt)
	}
	return p, nil
}
