package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// Meant is the set of minions that a job would run on, as the master reports it.
type Meant struct {
	// Count is how many minions of the whole tree certainly match; Down is how many of them
	// are down or behind a node that is.
	Count, Down int
	// Unknown is how many minions may match, depending on data that only the nodes below
	// have.
	Unknown int
	// Blind counts the nodes that do not report their minions, such as Python syndics.
	Blind int
	// Minions are the first matching minions; Path is the path of nodes from the master.
	Minions []topology.Place
	// Nodes counts the matching minions by the path of their node; "" is the master.
	Nodes []MeantBy
}

// MeantBy is a node and how many of its own minions match.
type MeantBy struct {
	Path  string
	Count int
}

// Meant asks the master which minions a job would run on. It starts nothing. The result names
// at most limit minions; 0 names none. A user who may not start the job gets the [*Refused] of
// [Client.Publish]. A Python master does not support it.
func (c *Client) Meant(ctx context.Context, j Job, limit int) (Meant, error) {
	if err := c.expand(&j); err != nil {
		return Meant{}, err
	}
	load, err := j.load()
	if err != nil {
		return Meant{}, fmt.Errorf("preview: %w", err)
	}
	load.Set("cmd", "preview")
	load.Set("limit", limit)
	reply, err := c.send(ctx, load)
	if err != nil {
		return Meant{}, fmt.Errorf("preview: %w", err)
	}
	d := reply.Map("load")
	if d == nil {
		return Meant{}, errors.New("preview: the master's answer has no load")
	}
	return MeantOf(d), nil
}

// MeantOf parses the answer to a preview.
func MeantOf(d *value.Map) Meant {
	m := Meant{Count: int(d.Int("count")), Down: int(d.Int("down")), Unknown: int(d.Int("unknown")), Blind: int(d.Int("blind"))}
	for _, v := range d.List("minions") {
		if r, ok := v.(*value.Map); ok {
			m.Minions = append(m.Minions, topology.Place{ID: r.String("id"), Path: r.String("path"), State: topology.State(r.String("state"))})
		}
	}
	for _, v := range d.List("nodes") {
		if r, ok := v.(*value.Map); ok {
			m.Nodes = append(m.Nodes, MeantBy{r.String("path"), int(r.Int("count"))})
		}
	}
	return m
}
