package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/value"
)

// Meant is whom a job would mean, as its master tells those who may start it.
type Meant struct {
	// Count are those that it certainly means in the whole tree, Down those among them that
	// are down or behind a node that is.
	Count, Down int
	// Unknown may be meant as well: that depends on what only the nodes below know.
	Unknown int
	// Blind are nodes that do not tell whom they have, such as syndics of Salt's.
	Blind int
	// Minions are the first of them; Path names the nodes between the master and theirs.
	Minions []topology.Place
	// Nodes counts them by the path of their node; "" is the master.
	Nodes []MeantBy
}

// MeantBy is a node, and how many of its own minions a job means.
type MeantBy struct {
	Path  string
	Count int
}

// Meant asks the master whom a job would mean and starts nothing. At most limit minions are
// named, 0 is none. A user who may not start the job gets the [*Refused] that
// [Client.Publish] gives. A master of Salt's does not know the question.
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

// MeantOf reads the answer to a preview.
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
