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
	// Keep is how long a publication is kept that was not queued; 0: not at all.
	Keep time.Duration
	// MaxBytes bounds all publications together. Beyond it the oldest that was
	// not queued is dropped. Default 64 MiB.
	MaxBytes int64
	Log      *slog.Logger
	// Now is the wall clock, by which queued jobs have their deadlines.
	Now func() time.Time
	// Age is the clock by which publications grow old. Default Now.
	Age func() time.Time
	// Steady tells whether the wall clock stands where it should; while it does not
	// nothing is dropped for its age, and no queued job ends. Default: always.
	Steady func() bool
	// Found is told what an earlier life has left in the store, Dropped what is kept no
	// more: it may be removed there. nil: nobody is.
	Found   func(p returners.Part, queued bool)
	Dropped func(parts ...returners.Part)
}

// ErrFull refuses a queued job: those that wait already fill the room.
var ErrFull = errors.New("the publications that wait for minions fill publish_retention_max_bytes")

// entry is a record with what only this life of the master knows.
type entry struct {
	Record
	seq     int64 // 0: not numbered yet
	size    int64
	gone    bool
	waiting map[string]bool              // queued minions that have not answered; true: given the job
	nodes   map[string]map[string]string // queued nodes, the minions known behind each, and the path to each of these
	below   map[string]string            // minions for whom nodes below are known to queue, and the path to each
	cache   any                          // what the owner made of it last, see Cached
	ids     map[string]bool              // the minions that it names; made when asked for
}

// Log is safe for concurrent use.
type Log struct {
	o     Options
	epoch string
	boot  string

	mu      sync.Mutex
	over    []returners.Part // dropped, and not told
	entries map[returners.Part]*entry
	further map[string][]int // by jid: the parts that extend the job
	order   []*entry         // by number; those gone are taken out now and then
	dead    int
	head    int64
	bytes   int64
	dropped uint64
	queues  atomic.Int64 // how many jobs are queued for minions
}

// Open takes up what an earlier life has stored with its jobs. What is damaged is
// dropped, and told.
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
		return nil, fmt.Errorf("read the kept publications: %w", err)
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
	l.tell()
	return l, nil
}

// restore enters what was stored of a publication. Its mark comes behind it.
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
		err = fmt.Errorf("%w: it is of job %s", errDamaged, r.Name())
	}
	if err != nil {
		l.o.Log.Warn("unreadable publication removed", "jid", n.JID, "err", err)
		l.o.Found(p, false)
		l.over = append(l.over, p)
		return
	}
	if r.boot != "" && l.boot != "" && r.boot != l.boot {
		r.Published = true // its mark may be lost: given twice is worse than missed
	}
	l.enter(*r, int64(len(n.Value)))
	l.o.Found(r.Name(), r.queued())
}

// Epoch names this life of the log: numbers count within one epoch.
func (l *Log) Epoch() string { return l.epoch }

// Keeps tells whether publications are kept that are not queued.
func (l *Log) Keeps() bool { return l.o.Keep > 0 }

// enter adds an entry. The caller holds mu or is alone.
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

// Put enters a publication, and gives what has to be stored of it in the commit of its
// job. nil: it is there already, and left as it is.
func (l *Log) Put(r Record) (stored []byte, err error) {
	r.boot = l.boot
	b, err := r.encode()
	if err != nil {
		return nil, err
	}
	defer l.tell()
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

// makeRoom drops the oldest until there is room for so many bytes. The caller holds mu,
// and calls tell without it.
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

// Number gives a publication the next number as it goes out; one that goes out
// again keeps its own. The caller sees to it that numbers go out in their order.
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

// Published notes that a publication has been handed to the subscribers. first: it is
// kept, and that was not noted.
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

// Unpublished tells whether an earlier life has kept a publication of a job and not
// handed it out.
func (l *Log) Unpublished(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.of(jid), func(e *entry) bool { return !e.Record.Published })
}

// of lists what is kept of a job. The caller holds mu.
func (l *Log) of(jid string) (es []*entry) {
	if e := l.first(jid); e != nil {
		es = append(es, e)
	}
	for _, n := range l.further[jid] {
		es = append(es, l.entries[returners.Part{JID: jid, N: n}])
	}
	return es
}

// first is the first publication of a job: the only one of a job that is queued. The caller holds
// mu.
func (l *Log) first(jid string) *entry { return l.entries[returners.Part{JID: jid}] }

// Means reports whether a publication may be meant for a minion. One of a job that has grown names
// the minions that it is for, and there may be thousands of it.
func (l *Log) Means(p returners.Part, id string) bool {
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
			ids, _ := wire.Strings(tgt) // else none: everybody is given it
			for _, id := range ids {
				e.ids[id] = true
			}
		}
	}
	return len(e.ids) == 0 || e.ids[id]
}

// Head is the number of the last publication.
func (l *Log) Head() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Since calls give for each publication after the given number, in order, until
// it returns false. A number of another epoch, or beyond the head, stands for the
// beginning. It costs as much as there are publications to give.
func (l *Log) Since(epoch string, seq int64, give func(seq int64, r Record) bool) {
	l.mu.Lock()
	if epoch != l.epoch || seq > l.head || seq < 0 {
		seq = 0
	}
	from := sort.Search(len(l.order), func(i int) bool { return l.order[i].seq > seq })
	// Copies: what they stand for may be published, or dropped, meanwhile.
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

// Cached gives what make made of a publication the last time, if fits still says
// so: sealing one anew for each of ten thousand peers would cost as many
// signatures.
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

// Drop forgets the publications of a job.
func (l *Log) Drop(jid string) {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.of(jid) {
		l.drop(e)
	}
	l.compact()
}

// DropPart forgets one publication.
func (l *Log) DropPart(p returners.Part) {
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[p]; e != nil {
		l.drop(e)
		l.compact()
	}
}

// drop takes an entry out. The caller holds mu, and calls tell without it.
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

// tell tells what was dropped. The caller does not hold mu.
func (l *Log) tell() {
	l.mu.Lock()
	over := l.over
	l.over = nil
	l.mu.Unlock()
	if len(over) > 0 {
		l.o.Dropped(over...)
	}
}

// compact rebuilds the order when half of it is gone. The caller holds mu.
func (l *Log) compact() {
	if l.dead < 64 || l.dead*2 < len(l.order) {
		return
	}
	l.order = slices.DeleteFunc(l.order, func(e *entry) bool { return e.gone })
	l.dead = 0
}

// Sweep drops what is older than the retention, while the clock can be trusted.
func (l *Log) Sweep() {
	if !l.o.Steady() {
		return
	}
	defer l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.o.Age().Add(-l.o.Keep)
	for _, e := range l.order {
		if e.gone || e.queued() {
			continue
		}
		if e.At.After(limit) {
			break // what follows is younger
		}
		l.drop(e)
	}
	l.compact()
}

// Size counts what is kept, and what had to be dropped for want of room.
func (l *Log) Size() (records int, bytes int64, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries), l.bytes, l.dropped
}
