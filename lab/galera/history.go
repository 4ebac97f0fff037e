//go:build linux

package galera

import (
	"fmt"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

const (
	every = 200 * time.Millisecond // between two jobs
	// lateBy is how many jobs later a minion returns that was stored as missing.
	lateBy = 3
	fun    = "test.echo"
	away   = "Not connected"
)

// history is what is written: jobs in a row, each for the same minions. A part of the minions
// belongs to each writer. The first of a part is stored as missing and returns later; the second
// is missing and never returns.
type history struct {
	began   time.Time
	writers int
	part    int // minions of a writer
}

// newHistory returns one in which the writers store rate returns a second.
func newHistory(began time.Time, writers, rate int) *history {
	perJob := float64(rate) * every.Seconds() / float64(2*writers) // each return is stored twice
	return &history{began, writers, max(3, int(perJob+0.5)+1)}
}

func (h *history) at(job int) time.Time {
	return h.began.Add(time.Duration(job) * every).Truncate(time.Second)
}
func (h *history) jid(job int) string { return jid.New(h.began.Add(time.Duration(job) * every)) }

func nodeOf(writer int) string        { return fmt.Sprintf("syn-%d", writer) }
func minion(writer, i int) string     { return fmt.Sprintf("m%d-%03d", writer, i) }
func value(jid, id string) string     { return id + " of " + jid }
func eventKey(writer, job int) string { return fmt.Sprintf("syn-%d/%d", writer, job) }

// parts returns whose minions a writer stores: its own and those of the writer before it, whose
// parent it is.
func (h *history) parts(writer int) []int {
	return slices.Compact([]int{writer, (writer + h.writers - 1) % h.writers})
}

func encode(v any) wire.Raw {
	b, err := wire.Encode(v)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return b
}

func (h *history) load(job int) returners.Load {
	id := h.jid(job)
	return returners.Load{JID: id, User: "root", At: h.at(job), Raw: encode(wire.NewMap("cmd", "publish", "fun", fun, "arg", []any{}, "tgt", "*", "tgt_type", "glob", "jid", id, "user", "root"))}
}

func (h *history) ret(job, writer, i int) returners.Return {
	id, m := h.jid(job), minion(writer, i)
	v := value(id, m)
	return returners.Return{
		JID: id, ID: m, Fun: fun, Success: true, Value: encode(v), At: h.at(job),
		Full: encode(wire.NewMap("cmd", "_return", "id", m, "success", true, "return", v, "retcode", 0, "jid", id, "fun", fun, "fun_args", []any{}, "user", "root")),
	}
}

// opening returns what a writer commits when a job starts.
func (h *history) opening(job, writer int) (returners.Batch, error) {
	id := h.jid(job)
	payload, err := returners.EncodeEvent(returners.Event{
		Key: eventKey(writer, job), Tag: "salt/job/" + id + "/new", Data: encode(wire.NewMap("jid", id)), MasterID: nodeOf(writer), At: h.at(job),
	})
	if err != nil {
		return returners.Batch{}, err
	}
	dest := returners.DestMySQL
	b := returners.Batch{
		Loads:  []returners.Load{h.load(job)},
		Outbox: []returners.Item{{Dest: dest, Kind: returners.KindLoad, JID: id}, {Dest: dest, Kind: returners.KindEvent, Payload: payload}},
	}
	for _, p := range h.parts(writer) {
		x := returners.Expectation{JID: id, Node: nodeOf(p), At: h.at(job), Missing: map[string]string{minion(p, 0): away, minion(p, 1): away}}
		for i := 2; i < h.part; i++ {
			x.Minions = append(x.Minions, minion(p, i))
		}
		b.Expectations = append(b.Expectations, x)
		b.Outbox = append(b.Outbox, returners.Item{Dest: dest, Kind: returners.KindExpectation, JID: id, ID: x.Node})
	}
	return b, nil
}

// answers returns the returns of a job that a writer commits at once.
func (h *history) answers(job, writer int) returners.Batch {
	var b returners.Batch
	for _, p := range h.parts(writer) {
		for i := 2; i < h.part; i++ {
			add(&b, h.ret(job, p, i))
		}
	}
	return b
}

// late returns the returns of minions that were stored as missing.
func (h *history) late(job, writer int) returners.Batch {
	var b returners.Batch
	for _, p := range h.parts(writer) {
		add(&b, h.ret(job, p, 0))
	}
	return b
}

func add(b *returners.Batch, r returners.Return) {
	b.Returns = append(b.Returns, r)
	b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestMySQL, Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
}
