package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// Return is the answer of one minion.
type Return struct {
	ID      string
	Fun     string
	Value   wire.Raw
	Retcode int
	Success bool
	Out     string
}

// Missing says why a minion did not answer and the path of nodes to it.
type Missing struct{ Reason, Path string }

// Account is how a job ended.
type Account struct {
	JID                        string
	Expected, Returned, Failed int
	Missing                    map[string]Missing
	Nodes                      map[string]string // path of a node below → its state
	Took                       time.Duration     // from publication to the end, on the master's clock
}

// Update is one thing that happened to a followed job. Exactly one field is set.
type Update struct {
	Return   *Return
	Missing  map[string]Missing
	Complete *Account
}

// Following is a published job whose events are listened to.
type Following struct {
	Published
	c     *Client
	bus   *bus.Client
	log   *slog.Logger
	seen  map[string]bool
	sweep *sweep // through the job cache, after the bus was lost; nil: none is under way
}

// Follow publishes a job and listens to it. Nothing is lost: the bus is open
// before the job is sent. The caller closes the Following; with an error it holds
// what is known of the publication.
func (c *Client) Follow(ctx context.Context, j Job) (*Following, error) {
	b, err := c.openBus(ctx)
	if err != nil {
		return &Following{}, err
	}
	p, err := c.Publish(ctx, j)
	if err != nil {
		_ = b.Close() // the publication's error says more
		return &Following{Published: p}, err
	}
	if !p.Tells {
		_ = b.Close() // the job goes on without us
		return &Following{Published: p}, fmt.Errorf("%w: job %s was started but cannot be followed", ErrNotTold, p.JID)
	}
	return &Following{Published: p, c: c, bus: b, log: c.o.Log, seen: map[string]bool{}}, nil
}

// Close ends the listening; the job goes on.
func (f *Following) Close() error {
	if f == nil || f.bus == nil {
		return nil
	}
	return f.bus.Close()
}

// Next waits for the next update. The update with Complete is the last one. Who reads
// too slowly is cut off the bus, and what was missed comes from the master's job cache
// then: no return is lost, none comes twice, and no more than a page of them is held.
// After [ErrBusLost], when the bus is gone for good, nothing more comes; after any other
// error, such as an event of the job that cannot be read, Next may be called again.
func (f *Following) Next(ctx context.Context) (Update, error) {
	for {
		if f.sweep != nil {
			u, ok, err := f.missed(ctx)
			if err != nil || ok {
				return u, err
			}
		}
		e, err := f.bus.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return Update{}, ctx.Err()
			}
			if again := f.resume(ctx); again != nil {
				return Update{}, fmt.Errorf("%w: %w; the job goes on, see: salt-run jobs.lookup_jid %s", ErrBusLost, errors.Join(err, again), f.JID)
			}
			continue
		}
		rest, ok := strings.CutPrefix(e.Tag, "salt/job/"+f.JID+"/")
		if !ok {
			continue
		}
		f.log.Debug("Event", "tag", e.Tag)
		u, ok, err := f.read(rest, e.Data)
		if err != nil {
			return Update{}, fmt.Errorf("event %s: %w", e.Tag, err)
		}
		if ok {
			return u, nil
		}
	}
}

func (f *Following) read(what string, data wire.Raw) (Update, bool, error) {
	kind, id, _ := strings.Cut(what, "/")
	switch kind {
	case "ret":
		ret, err := wire.ParseReturn(data)
		if err != nil || f.seen[id] {
			return Update{}, false, err
		}
		f.seen[id] = true
		return Update{Return: &Return{
			ID: ret.ID, Fun: ret.FunName(), Value: ret.Value, Retcode: ret.Retcode, Out: ret.Out,
			Success: ret.Success || (!ret.HasSuccess && ret.Retcode == 0),
		}}, true, nil
	case "missing":
		d, err := wire.DecodeMap(data)
		if err != nil {
			return Update{}, false, err
		}
		if d.Has("from") { // the word of one node: what holds is what this master makes of all
			return Update{}, false, nil
		}
		m := readMissing(d.Map("missing"))
		return Update{Missing: m}, len(m) > 0, nil
	case "complete":
		d, err := wire.DecodeMap(data)
		if err != nil {
			return Update{}, false, err
		}
		return Update{Complete: readAccount(d)}, true, nil
	}
	return Update{}, false, nil
}

func readAccount(d *wire.Map) *Account {
	a := &Account{
		JID: d.String("jid"), Expected: int(d.Int("expected")), Returned: int(d.Int("returned")), Failed: int(d.Int("failed")),
		Missing: readMissing(d.Map("missing")), Nodes: map[string]string{},
	}
	if s, ok := d.Get("seconds"); ok {
		if f, ok := s.(float64); ok {
			a.Took = time.Duration(f * float64(time.Second))
		}
	}
	if nodes := d.Map("nodes"); nodes != nil {
		for _, k := range nodes.Keys() {
			path, _ := k.(string)
			a.Nodes[path] = nodes.String(path)
		}
	}
	return a
}

func readMissing(d *wire.Map) map[string]Missing {
	out := map[string]Missing{}
	if d == nil {
		return out
	}
	for _, k := range d.Keys() {
		id, _ := k.(string)
		if m := d.Map(id); m != nil {
			out[id] = Missing{Reason: m.String("reason"), Path: m.String("path")}
		}
	}
	return out
}
