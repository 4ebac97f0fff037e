package master

import (
	"context"
	"strings"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

const (
	batchTags = "salt/batch/"
	// batchesWaiting is how many events about batches may wait; what comes on top is dropped.
	batchesWaiting = 256
)

// haltBatches tells that this master does not drive batches. The command `salt -b --async` of Salt
// 3008 publishes the first slice and leaves the rest to the master, by an event: without an answer
// whoever waits for that batch waits for ever.
func (m *Master) haltBatches(ctx context.Context, sub *bus.Subscription) {
	defer sub.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-sub.C():
			if !ok {
				return
			}
			if e.Origin == "" { // else it is that of a node below, which answers itself
				m.haltBatch(handedBatch(e.Tag), e)
			}
		}
	}
}

// handedBatches are the events that begin a batch.
func (m *Master) handedBatches() *bus.Subscription {
	return m.bus.Subscribe(bus.SubscribeOptions{
		Prefix: batchTags, Size: batchesWaiting, DropWhenFull: true, Match: func(tag string) bool { return handedBatch(tag) != "" },
	})
}

// handedBatch is the job id of an event that begins a batch; "": it is another event.
func handedBatch(tag string) string {
	id, ok := strings.CutSuffix(strings.TrimPrefix(tag, batchTags), "/new")
	if !ok || !jid.Valid(id) {
		return ""
	}
	return id
}

func (m *Master) haltBatch(id string, e bus.Event) {
	d, err := e.Map()
	if err != nil || d.String("driver") != "master" { // the command itself publishes the slices
		return
	}
	m.log.Error("batch halted: the master does not drive batches", "jid", id, "user", d.String("user"), "fun", d.String("fun"),
		"hint", "only the first slice was published; run salt -b without --async")
	out := wire.NewMap("jid", id)
	for _, field := range []string{"fun", "tgt", "tgt_type", "user"} {
		v, _ := d.Get(field)
		out.Set(field, v)
	}
	out.Set("reason", "this master does not drive batches")
	m.fire(batchTags+id+"/halted", out)
}
