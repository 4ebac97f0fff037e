package retention

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Options of a [Log].
type Options struct {
	// Keep is how long a publication is kept that was not queued; 0 keeps none.
	Keep time.Duration
	// MaxBytes bounds all publications together. Beyond it the oldest not queued one is
	// dropped. Default 64 MiB.
	MaxBytes int64
	Log      *slog.Logger
	// Now is the wall clock, for the deadlines of queued jobs.
	Now func() time.Time
	// Age is the clock for the age of publications. Default Now.
	Age func() time.Time
	// Steady reports whether the wall clock can be trusted. While it returns false,
	// nothing expires. Default: always true.
	Steady func() bool
	// Found is called for what the store holds at the start, Dropped for what may be
	// removed from it. Both are optional.
	Found   func(p returners.Part, queued bool)
	Dropped func(parts ...returners.Part)
}

// ErrFull rejects a queued job: waiting publications fill the bound.
var ErrFull = errors.New("queued publications fill publish_retention_max_bytes")

// entry is a record with the state of this process.
type entry struct {
	Record
	seq     int64 // 0 before it is numbered
	size    int64
	gone    bool
	waiting map[string]bool              // queued minions that have not answered; true: the job was sent
	nodes   map[string]map[string]string // queued nodes: for each, the minions behind it and their paths
	below   map[string]string            // minions behind nodes that have the job, and their paths
	cache   any                          // see Cached
	ids     map[string]bool              // target ids, decoded on first use
}

// Log holds the kept publications. It is safe for concurrent use.
type Log struct {
	o     Options
	epoch string
	boot  string

	mu      sync.Mutex
	over    []returners.Part // dropped, not yet passed to Dropped
	entries map[returners.Part]*entry
	further map[string][]int // by jid: parts that extend the job
	order   []*entry         // by number; dropped entries are compacted later
	dead    int              // dropped entries in order
	head    int64
	bytes   int64
	dropped uint64
	queues  atomic.Int64 // number of queued jobs
}

// Open reads the publications stored with their jobs. It drops damaged ones and logs them.
func Open(ctx context.Context, o Options, from returners.NoteReader) (*Log, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Age == nil {
		o.Age = o.Now
	}
	if o.Steady == nil {
		o.Steady = func() bool { return true }
	}
	if o.Found == nil {
		o.Found = func(returners.Part, bool) {}
	}
	if o.Dropped == nil {
		o.Dropped = func(...returners.Part) {}
	}
	l := &Log{o: o, epoch: rand.Text(), boot: bootID(), entries: map[returners.Part]*entry{}, further: map[string][]int{}}
	err := returners.EachNote(ctx, from, returners.NotePublication, l.restore)
	if err != nil {
		return nil, fmt.Errorf("read kept publications: %w", err)
	}
	var all []*entry
	for _, e := range l.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entry) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.JID, b.JID), cmp.Compare(a.Part, b.Part))
	})
	for _, e := range all {
		l.head++
		e.seq = l.head
	}
	l.order = all
	l.makeRoom(0)
	l.reportDropped()
	return l, nil
}

// restore adds a stored publication, or its mark, which follows it.
func (l *Log) restore(n returners.Note) {
	p, published, ok := returners.PartOf(n)
	if e := l.entries[p]; ok && published && e != nil {
		e.Record.Published = true
		return
	}
	if !ok {
		l.o.Log.Warn("unknown record in publication log skipped", "jid", n.JID, "key", n.Key)
		return
	}
	r, err := decodeRecord(n.Value)
	if err == nil && r.Name() != p {
		err = fmt.Errorf("%w: it belongs to job %s", errDamaged, r.Name())
	}
	if err != nil {
		l.o.Log.Warn("unreadable publication removed", "jid", n.JID, "err", err)
		l.o.Found(p, false)
		l.over = append(l.over, p)
		return
	}
	if r.boot != "" && l.boot != "" && r.boot != l.boot {
		r.Published = true // the mark may be lost: sending twice is worse than not sending
	}
	l.enter(*r, int64(len(n.Value)))
	l.o.Found(r.Name(), r.queued())
}

// Epoch identifies this process; numbers are valid within one epoch.
func (l *Log) Epoch() string { return l.epoch }

// Keeps reports whether publications are kept that are not queued.
func (l *Log) Keeps() bool { return l.o.Keep > 0 }

// enter adds an entry. The caller holds mu.
func (l *Log) enter(r Record, size int64) {
	e := &entry{Record: r, size: size}
	if r.queued() {
		l.queues.Add(1)
		e.waiting, e.nodes, e.below = map[string]bool{}, map[string]map[string]string{}, map[string]string{}
	}
	l.entries[r.Name()] = e
	if r.Part > 0 {
		l.further[r.JID] = append(l.further[r.JID], r.Part)
	}
	l.bytes += size
}

// Put adds a publication, and returns the value to store in the commit of its job. It returns
// nil if the publication exists already.
func (l *Log) Put(r Record) (stored []byte, err error) {
	r.boot = l.boot
	b, err := r.encode()
	if err != nil {
		return nil, err
	}
	defer l.reportDropped()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries[r.Name()] != nil {
		return nil, nil
	}
	size := int64(len(b))
	if !l.makeRoom(size) && r.queued() {
		return nil, ErrFull
	}
	l.enter(r, size)
	return b, nil
}

// makeRoom drops the oldest publications until size bytes fit. The caller holds mu, and calls
// reportDropped after releasing it.
func (l *Log) makeRoom(size int64) (enough bool) {
	for i := 0; l.bytes+size > l.o.MaxBytes && i < len(l.order); i++ {
		if e := l.order[i]; !e.gone && !e.queued() {
			l.drop(e)
			l.dropped++
		}
	}
	l.compact()
	return l.bytes+size <= l.o.MaxBytes
}

// Number assigns the next number to a publication that is being sent; one sent again keeps its
// number. The caller sends in the order of numbers.
func (l *Log) Number(p returners.Part) (seq int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[p]
	if e == nil {
		return 0, false
	}
	if e.seq != 0 {
		return e.seq, true
	}
	l.head++
	e.seq = l.head
	l.order = append(l.order, e)
	return l.head, true
}

// Published records that a publication was sent to the subscribers. first reports whether it
// is kept and was not recorded before.
func (l *Log) Published(p returners.Part) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[p]
	if e == nil || e.Record.Published {
		return false
	}
	e.Record.Published = true
	return true
}

// Kept returns the publications of a job.
func (l *Log) Kept(jid string) (out []Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.of(jid) {
		out = append(out, e.Record)
	}
	return out
}

// Unpublished reports whether a publication of a job was stored but never sent.
func (l *Log) Unpublished(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.of(jid), func(e *entry) bool { return !e.Record.Published })
}

// of returns the entries of a job. The caller holds mu.
func (l *Log) of(jid string) (es []*entry) {
	if e := l.first(jid); e != nil {
		es = append(es, e)
	}
	for _, n := range l.further[jid] {
		es = append(es, l.entries[returners.Part{JID: jid, N: n}])
	}
	return es
}

// first returns the first entry of a job. A queued job has no other. The caller holds mu.
func (l *Log) first(jid string) *entry { return l.entries[returners.Part{JID: jid}] }

// MayTarget reports whether a publication may target a minion. Each publication of a job that has
// grown lists its minions, and there may be thousands of them.
func (l *Log) MayTarget(p returners.Part, id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entries[p]
	if e == nil || len(l.further[p.JID]) == 0 {
		return true
	}
	if e.ids == nil {
		e.ids = map[string]bool{}
		tgt, err := wire.Field(e.Pub, "tgt")
		if err == nil && wire.IsList(tgt) {
			ids, _ := wire.Strings(tgt) // without ids it may target every minion
			for _, id := range ids {
				e.ids[id] = true
			}
		}
	}
	return len(e.ids) == 0 || e.ids[id]
}

// Head returns the number of the last publication.
func (l *Log) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Since calls give for each publication after seq, in order, until give returns false. A number
// of another epoch, or beyond the head, means the beginning. The cost depends only on the
// publications passed to give.
func (l *Log) Since(epoch string, seq int64, give func(seq int64, r Record) bool) {
	l.mu.Lock()
	if epoch != l.epoch || seq > l.head || seq < 0 {
		seq = 0
	}
	from := sort.Search(len(l.order), func(i int) bool { return l.order[i].seq > seq })
	// Copies, since entries may be published or dropped meanwhile.
	type numbered struct {
		seq int64
		r   Record
	}
	var rest []numbered
	for _, e := range l.order[from:] {
		if !e.gone {
			rest = append(rest, numbered{e.seq, e.Record})
		}
	}
	l.mu.Unlock()
	for _, n := range rest {
		if !give(n.seq, n.r) {
			return
		}
	}
}

// Cached returns the cached value of a publication if fits accepts it, or calls build. It saves
// one signature for each of ten thousand peers.
func (l *Log) Cached(p returners.Part, fits func(any) bool, build func() (any, error)) (any, error) {
	l.mu.Lock()
	e := l.entries[p]
	if e != nil && e.cache != nil && fits(e.cache) {
		defer l.mu.Unlock()
		return e.cache, nil
	}
	l.mu.Unlock()
	v, err := build()
	if err == nil && e != nil {
		l.mu.Lock()
		e.cache = v
		l.mu.Unlock()
	}
	return v, err
}

// Drop removes the publications of a job.
func (l *Log) Drop(jid string) {
	defer l.reportDropped()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.of(jid) {
		l.drop(e)
	}
	l.compact()
}

// DropPart removes one publication.
func (l *Log) DropPart(p returners.Part) {
	defer l.reportDropped()
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[p]; e != nil {
		l.drop(e)
		l.compact()
	}
}

// drop removes an entry. The caller holds mu, and calls reportDropped after releasing it.
func (l *Log) drop(e *entry) {
	delete(l.entries, e.Name())
	if rest := slices.DeleteFunc(l.further[e.JID], func(n int) bool { return n == e.Part }); len(rest) > 0 {
		l.further[e.JID] = rest
	} else {
		delete(l.further, e.JID)
	}
	l.bytes -= e.size
	e.gone, e.cache = true, nil
	if e.seq != 0 {
		l.dead++
	}
	if e.queued() {
		l.queues.Add(-1)
	}
	l.over = append(l.over, e.Name())
}

// reportDropped passes dropped publications to Dropped. The caller does not hold mu.
func (l *Log) reportDropped() {
	l.mu.Lock()
	over := l.over
	l.over = nil
	l.mu.Unlock()
	if len(over) > 0 {
		l.o.Dropped(over...)
	}
}

// compact removes dropped entries from order when half of it is dropped. The caller holds mu.
func (l *Log) compact() {
	if l.dead < 64 || l.dead*2 < len(l.order) {
		return
	}
	l.order = slices.DeleteFunc(l.order, func(e *entry) bool { return e.gone })
	l.dead = 0
}

// Sweep drops publications older than the retention, if the clock is steady.
func (l *Log) Sweep() {
	if !l.o.Steady() {
		return
	}
	defer l.reportDropped()
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.o.Age().Add(-l.o.Keep)
	for _, e := range l.order {
		if e.gone || e.queued() {
			continue
		}
		if e.At.After(limit) {
			break // the following ones are newer
		}
		l.drop(e)
	}
	l.compact()
}

// Size returns the number and size of kept publications, and how many were dropped for room.
func (l *Log) Size() (records int, bytes int64, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries), l.bytes, l.dropped
}
