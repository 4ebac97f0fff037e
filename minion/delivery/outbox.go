package delivery

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/durable"
)

// Bounds of the returns that wait for one master. Beyond them the oldest are dropped: a master
// that was away for so long has closed those jobs.
const (
	maxBytes = 1 << 30
	// maxHeld bounds the bytes of returns that are only in memory.
	maxHeld = 64 << 20
)

// Outbox stores the returns that one master has not acknowledged, in order, each in a file that
// is on disk before it is sent. A crash repeats at most the one in flight, which masters
// recognize as a duplicate.
//
// If the disk refuses a return, it is held in memory: the master may be reachable, and a full
// disk on the minion should not cost a job its return.
type Outbox struct {
	dir      string
	log      *slog.Logger
	maxItems int
	maxBytes int64
	wake     chan struct{}

	mu       sync.Mutex
	items    []item
	bytes    int64
	held     int64 // in bytes, only those in memory
	next     uint64
	delivers *delivery // the last sender
}

type item struct {
	seq  uint64
	jid  string
	size int64
	held []byte // not nil: the load, which is not in a file
}

// name returns the item's file name: the sequence number, then the jid.
func (i item) name() string { return fmt.Sprintf("%020d.%s", i.seq, i.jid) }

func parseItem(e fs.DirEntry) (item, error) {
	number, jid, _ := strings.Cut(e.Name(), ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return item{}, err
	}
	info, err := e.Info()
	if err != nil {
		return item{}, err
	}
	return item{seq: seq, jid: jid, size: info.Size()}, nil
}

// OpenOutbox opens the outbox in dir with the returns that an earlier run left. If there are
// more than most returns, it drops the oldest.
func OpenOutbox(dir string, most int, log *slog.Logger) (*Outbox, error) {
	if err := durable.Folder(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the outbox: %w", err)
	}
	o := &Outbox{
		dir: dir, log: log, maxItems: most, maxBytes: maxBytes,
		wake: make(chan struct{}, 1), next: 1,
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open the outbox: %w", err)
	}
	for _, e := range entries {
		item, err := parseItem(e)
		if err != nil {
			if strings.HasPrefix(e.Name(), ".") { // half written
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
			continue
		}
		o.items = append(o.items, item)
		o.bytes += item.size
		o.next = max(o.next, item.seq+1)
	}
	slices.SortFunc(o.items, func(a, b item) int { return cmp.Compare(a.seq, b.seq) })
	return o, nil
}

func (o *Outbox) path(i item) string { return filepath.Join(o.dir, i.name()) }

// Push stores the return of a job. After Push returns, the return survives a crash, unless the
// disk refused it and it is held in memory, which Push logs.
func (o *Outbox) Push(jid string, load []byte) error {
	o.mu.Lock()
	item := item{seq: o.next, jid: jid, size: int64(len(load))}
	o.next++
	o.mu.Unlock()
	failed := durable.WriteFile(o.path(item), load, 0o600)
	o.mu.Lock()
	if failed != nil {
		if o.held+item.size > maxHeld {
			o.mu.Unlock()
			return fmt.Errorf("store a return, and %d MiB wait in memory already: %w", maxHeld>>20, failed)
		}
		item.held = append([]byte{}, load...)
		o.held += item.size
	}
	o.items = append(o.items, item)
	// Two writers may have ended in the other order.
	for i := len(o.items) - 1; i > 0 && o.items[i-1].seq > o.items[i].seq; i-- {
		o.items[i-1], o.items[i] = o.items[i], o.items[i-1]
	}
	o.bytes += item.size
	given := o.shed()
	o.mu.Unlock()
	if failed != nil {
		o.log.Error("return not stored on disk, kept in memory", "jid", jid, "err", failed)
	}
	if given > 0 {
		o.log.Error("returns abandoned: master unreachable for too long", "count", given, "path", o.dir)
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

// shed removes the oldest returns while the bounds are exceeded; o.mu is held.
func (o *Outbox) shed() (given int) {
	for len(o.items) > 1 && (len(o.items) > o.maxItems || o.bytes > o.maxBytes) {
		o.drop(0)
		given++
	}
	return given
}

func (o *Outbox) drop(i int) {
	if o.items[i].held == nil {
		_ = os.Remove(o.path(o.items[i]))
	} else {
		o.held -= o.items[i].size
	}
	o.bytes -= o.items[i].size
	o.items = slices.Delete(o.items, i, i+1)
}

// head returns the oldest return; ok is false if the outbox is empty.
func (o *Outbox) head() (seq uint64, load []byte, ok bool) {
	for {
		o.mu.Lock()
		if len(o.items) == 0 {
			o.mu.Unlock()
			return 0, nil, false
		}
		item := o.items[0]
		o.mu.Unlock()
		if item.held != nil {
			return item.seq, item.held, true
		}
		load, err := os.ReadFile(o.path(item))
		if err == nil {
			return item.seq, load, true
		}
		if !errors.Is(err, os.ErrNotExist) {
			o.log.Error("stored return unreadable, abandoned", "path", o.path(item), "err", err)
		}
		o.ack(item.seq)
	}
}

// ack removes a return that was delivered or given up.
func (o *Outbox) ack(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.items {
		if o.items[i].seq == seq {
			o.drop(i)
			return
		}
	}
}

// jid returns the job of a pending return, "" if it is not pending.
func (o *Outbox) jid(seq uint64) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, item := range o.items {
		if item.seq == seq {
			return item.jid
		}
	}
	return ""
}

// JIDs returns the jobs with pending returns.
func (o *Outbox) JIDs() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]string, len(o.items))
	for i, item := range o.items {
		out[i] = item.jid
	}
	return out
}

// Depth returns the number of pending returns.
func (o *Outbox) Depth() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.items)
}

// Size returns the number of pending returns and their bytes.
func (o *Outbox) Size() (rows int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.items), o.bytes
}
