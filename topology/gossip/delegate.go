package gossip

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/hashicorp/memberlist"
)

// delegate is what memberlist asks. None of its methods may wait.
type delegate struct{ g *Gossip }

// metaOf is what travels with the member itself: the form, how new its record is,
// and its digest.
func metaOf(s signed) []byte {
	b := []byte{recordForm}
	b = binary.BigEndian.AppendUint64(b, s.Epoch)
	b = binary.BigEndian.AppendUint64(b, s.Seq)
	return append(b, digest(s.raw)[:16]...)
}

// NodeMeta gives the 33 bytes of this member; memberlist takes 512 at most.
func (d delegate) NodeMeta(limit int) []byte {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	if len(d.g.meta) > limit {
		return nil
	}
	return d.g.meta
}

// NotifyMsg takes a record that was broadcast, and passes on what is new: a
// receiver of memberlist does not do so by itself.
func (d delegate) NotifyMsg(b []byte) {
	s, rest, err := next(b)
	if err != nil || len(rest) > 0 {
		d.g.log.Debug("invalid gossip record", "bytes", len(b), "err", err)
		return
	}
	d.g.take(s)
}

// GetBroadcasts gives what is to be passed on.
func (d delegate) GetBroadcasts(overhead, limit int) [][]byte {
	return d.g.queue.GetBroadcasts(overhead, limit)
}

// LocalState is the whole table, for one other node.
func (d delegate) LocalState(bool) []byte { return d.g.table.all() }

// MergeRemoteState takes the table of another node.
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

// NotifyConflict tells of two members of one name.
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

// spread queues a record for the others, in the place of an older one of the same
// node.
func (g *Gossip) spread(s signed) {
	g.queue.QueueBroadcast(broadcast{s.ID, s.append(nil)})
}

type broadcast struct {
	id string
	b  []byte
}

// Invalidates says that a newer record of one node takes the older one's place.
func (b broadcast) Invalidates(o memberlist.Broadcast) bool {
	x, ok := o.(broadcast)
	return ok && x.id == b.id
}

// Name lets the queue find that place at once.
func (b broadcast) Name() string { return b.id }

// Message is what is sent.
func (b broadcast) Message() []byte { return b.b }

// Finished is told when it was sent often enough.
func (b broadcast) Finished() {}

// events keeps since when a node is alive or not.
type events struct{ g *Gossip }

// NotifyJoin tells that a member is there.
func (e events) NotifyJoin(n *memberlist.Node) { e.g.mark(n, true) }

// NotifyLeave tells that a member is gone or does not answer.
func (e events) NotifyLeave(n *memberlist.Node) { e.g.mark(n, false) }

// NotifyUpdate tells of a new digest; the record follows by broadcast.
func (e events) NotifyUpdate(*memberlist.Node) {}

func idOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return name
}
