package gossip

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/hashicorp/memberlist"
)

// delegate implements memberlist's delegates. Its methods must not block.
type delegate struct{ g *Gossip }

// metaOf returns the metadata of this member: the format, the age of its record, and its digest.
func metaOf(s signed) []byte {
	b := []byte{recordForm}
	b = binary.BigEndian.AppendUint64(b, s.Epoch)
	b = binary.BigEndian.AppendUint64(b, s.Seq)
	return append(b, digest(s.raw)[:16]...)
}

// NodeMeta returns the 33 bytes of metadata; memberlist allows 512.
func (d delegate) NodeMeta(limit int) []byte {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	if len(d.g.meta) > limit {
		return nil
	}
	return d.g.meta
}

// NotifyMsg processes a broadcast record and forwards it if it is new, which memberlist does not
// do.
func (d delegate) NotifyMsg(b []byte) {
	s, rest, err := next(b)
	if err != nil || len(rest) > 0 {
		d.g.log.Debug("invalid gossip record", "bytes", len(b), "err", err)
		return
	}
	d.g.take(s)
}

// GetBroadcasts returns records to forward.
func (d delegate) GetBroadcasts(overhead, limit int) [][]byte {
	return d.g.queue.GetBroadcasts(overhead, limit)
}

// LocalState returns the whole table for a push-pull exchange.
func (d delegate) LocalState(bool) []byte { return d.g.table.all() }

// MergeRemoteState processes the table of another node.
func (d delegate) MergeRemoteState(b []byte, _ bool) {
	for n := 0; len(b) > 0 && n < maxRecords; n++ {
		s, rest, err := next(b)
		if err != nil {
			d.g.log.Debug("invalid gossip table", "err", err)
			return
		}
		d.g.take(s)
		b = rest
	}
}

// NotifyConflict logs two members of one name.
func (d delegate) NotifyConflict(existing, other *memberlist.Node) {
	d.g.log.Error("gossip name conflict", "name", existing.Name, "at", existing.Address(), "and_at", other.Address())
}

func (g *Gossip) take(s signed) {
	fresh, err := g.table.offer(s)
	switch {
	case errors.Is(err, errKey):
		g.log.Warn("gossip record rejected", "node", s.ID, "err", err)
	case err != nil:
		g.log.Debug("gossip record refused", "node", s.ID, "err", err)
	case fresh:
		g.spread(s)
	}
}

// spread queues a record for broadcast in place of an older one of the same node.
func (g *Gossip) spread(s signed) {
	g.queue.QueueBroadcast(broadcast{s.ID, s.append(nil)})
}

type broadcast struct {
	id string
	b  []byte
}

// Invalidates reports whether b replaces o: both are records of one node.
func (b broadcast) Invalidates(o memberlist.Broadcast) bool {
	x, ok := o.(broadcast)
	return ok && x.id == b.id
}

// Name identifies the record in the queue.
func (b broadcast) Name() string { return b.id }

// Message returns the bytes to send.
func (b broadcast) Message() []byte { return b.b }

// Finished does nothing.
func (b broadcast) Finished() {}

// events records when nodes join and leave.
type events struct{ g *Gossip }

// NotifyJoin records that a member is alive.
func (e events) NotifyJoin(n *memberlist.Node) { e.g.mark(n, true) }

// NotifyLeave records that a member left or does not answer.
func (e events) NotifyLeave(n *memberlist.Node) { e.g.mark(n, false) }

// NotifyUpdate does nothing: the record follows by broadcast.
func (e events) NotifyUpdate(*memberlist.Node) {}

func idOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return name
}
