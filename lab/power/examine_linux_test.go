package power

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master"
	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/minion"
	"github.com/momtree/mom/returners"
)

// left is what a loss of power has left of the tree.
type left struct {
	load *load
	observed
	dir    string
	at     int
	faults []error
}

func (x *left) fault(format string, args ...any) {
	x.faults = append(x.faults, fmt.Errorf(format, args...))
}

// examine opens what is left and reports each broken promise.
func examine(ctx context.Context, l *load, o observed, dir string, at int) []error {
	x := &left{load: l, observed: o, dir: dir, at: at}
	for _, id := range []string{"m1", "m2", "late"} {
		x.minion(id)
	}
	x.masters(ctx)
	return x.faults
}

var quiet = slog.New(slog.DiscardHandler)

// masters opens both masters like their daemons and restores their jobs.
func (x *left) masters(ctx context.Context) {
	top, err := x.master(ctx, "top", func(dir string) (master.Options, error) {
		c, _, err := config.LoadMaster(dir)
		return master.Options{Config: c}, err
	})
	if err != nil {
		x.fault("the top does not start: %w", err)
		return
	}
	defer func() { x.end("top", top) }()
	node, err := x.master(ctx, "node", func(dir string) (master.Options, error) {
		c, _, err := config.LoadSyndic(dir)
		if err != nil {
			return master.Options{}, err
		}
		return master.Options{Config: c.Local, Parent: returners.DestAbove, NodeID: c.Upper.ID}, nil
	})
	if err != nil {
		x.fault("the node does not start: %w", err)
		return
	}
	defer func() { x.end("node", node) }()

	above, below := rowsOf(ctx, x, top.Store().Embedded()), rowsOf(ctx, x, node.Store().Embedded())
	for jid, at := range x.load.published {
		if _, ok, err := top.Store().Embedded().GetLoad(ctx, jid); at <= x.at && (!ok || err != nil) {
			x.fault("job %s was published and is not known: %v", jid, err)
		}
	}
	for p, at := range x.load.shown {
		if at <= x.at && !above[p] {
			x.fault("the return %v was shown and is gone from the top", p)
		}
	}
	open := top.OpenJobs("", 1<<20)
	for jid, at := range x.load.published {
		back := 0
		for p := range above {
			if p.jid == jid {
				back++
			}
		}
		if at <= x.at && back < x.load.asked[jid] && !slices.Contains(open, jid) {
			x.fault("job %s has %d of %d returns and is not taken up", jid, back, x.load.asked[jid])
		}
	}
	for jid := range x.load.published { // the top sent it to the node
		_, stored, err := node.Store().Embedded().GetLoad(ctx, jid)
		asked, askedErr := node.Store().Embedded().NotesOf(ctx, returners.NoteOrigin, jid)
		if err = errors.Join(err, askedErr); err != nil || stored != (len(asked) == 1) {
			x.fault("job %s is stored at the node (%v) and %d masters above have asked for it: %v", jid, stored, len(asked), err)
		}
	}
	pending := x.pending(ctx, node.Store().Outbox())
	for p, at := range x.acked {
		if _, asked := x.load.published[p.jid]; !asked || at > x.at { // questions of masters themselves are not stored
			continue
		}
		if !below[p] {
			x.fault("the return %v was acknowledged and is gone from the node", p)
		}
		if !pending[p] && !above[p] {
			x.fault("the return %v is neither at the top nor pending for it", p)
		}
	}
	x.keys()
}

type running struct {
	*master.Master
	stop func()
	done chan error
}

func (x *left) master(ctx context.Context, id string, options func(dir string) (master.Options, error)) (*running, error) {
	o, err := options(filepath.Join(x.dir, id, "conf"))
	if err != nil {
		return nil, err
	}
	o.Log, o.Version = quiet, "test"
	r := &running{done: make(chan error, 1)}
	if r.Master, err = master.New(o); err != nil {
		return nil, err
	}
	ctx, r.stop = context.WithCancel(ctx)
	go func() { r.done <- r.Run(ctx) }()
	r.OpenJobs("", 1) // waits until earlier jobs are restored
	return r, nil
}

func (x *left) end(id string, r *running) {
	r.stop()
	if err := <-r.done; err != nil {
		x.fault("%s does not end: %w", id, err)
	}
	is, err := os.ReadFile(filepath.Join(x.dir, id, masterPKI, "master.pem"))
	was, wasErr := os.ReadFile(filepath.Join(x.load.tr.Dir, id, masterPKI, "master.pem"))
	if err = errors.Join(err, wasErr); err != nil {
		x.fault("the key of %s: %w", id, err)
	}
	if x.at >= x.load.ready && !bytes.Equal(is, was) {
		x.fault("%s has another key, which no peer knows", id)
	}
}

// rowsOf reads all returns of a store.
func rowsOf(ctx context.Context, x *left, s jobstore.Embedded) map[pair]bool {
	out := map[pair]bool{}
	jobs, err := s.ListJobs(ctx, returners.Filter{})
	if err != nil {
		x.fault("list the jobs: %w", err)
	}
	for _, j := range jobs {
		rows, err := s.GetReturns(ctx, j.JID)
		if err != nil {
			x.fault("read the returns of %s: %w", j.JID, err)
		}
		for _, r := range rows {
			if p := (pair{r.JID, r.ID}); out[p] {
				x.fault("the return %v is there twice", p)
			} else {
				out[p] = true
			}
		}
	}
	return out
}

// pending returns the returns in a node's outbox.
func (x *left) pending(ctx context.Context, s returners.SharedOutbox) map[pair]bool {
	out := map[pair]bool{}
	for dest := range s.OutboxDests() {
		rows, err := s.OutboxRead(ctx, dest, 0, 1<<20, 1<<30)
		if err != nil {
			x.fault("read the outbox of %s: %w", dest, err)
		}
		for _, row := range rows {
			if p := (pair{row.JID, row.ID}); out[p] {
				x.fault("the return %v is in the outbox twice", p)
			} else {
				out[p] = true
			}
		}
	}
	return out
}

// keys checks that the changes of keys that were confirmed have survived.
func (x *left) keys() {
	pki := filepath.Join(x.dir, "node", masterPKI)
	store, err := keys.Open(keys.Options{PkiDir: pki, Log: quiet})
	if err != nil {
		x.fault("open the keys: %w", err)
		return
	}
	defer store.Close()
	for change, at := range x.load.keys {
		act, id, _ := strings.Cut(change, " ")
		if at > x.at {
			continue
		}
		if strings.Contains(change, "admit") {
			finger, err := admitted.Read(pki, strings.TrimPrefix(id, "admit "))
			if (err == nil) != (act == "admit") {
				x.fault("%s was done, and the admission is %q, %v", change, finger, err)
			}
			continue
		}
		var is []string
		for _, s := range keys.Listed {
			if slices.Contains(store.List(s), id) {
				is = append(is, s.Folder())
			}
		}
		want := map[string]string{"accept": "minions", "reject": "minions_rejected"}[act]
		if strings.Join(is, " ") != want {
			x.fault("%s was answered, and the key is in %q", change, is)
		} else if _, err := store.PublicKey(id); act == "accept" && err != nil {
			x.fault("%s was answered, and the key cannot be read: %w", change, err)
		}
	}
}

// minion checks that a job that has begun has its return, or the note that the job was interrupted,
// until a master has the return, and that the minion remembers it, so that it does not run again.
func (x *left) minion(id string) {
	c, _, err := config.LoadMinion(filepath.Join(x.dir, id, "conf"))
	if err != nil {
		x.fault("the minion %s: %w", id, err)
		return
	}
	cache := filepath.Join(x.dir, id, "var/cache/salt/minion")
	notes, waiting := wholeFiles(filepath.Join(cache, "proc", "*")), wholeFiles(filepath.Join(cache, "returns", "*", "*"))
	m, err := minion.New(minion.Options{Config: c, Log: quiet, Version: "test"})
	if err != nil {
		x.fault("the minion %s does not start: %w", id, err)
		return
	}
	if err := m.Close(); err != nil {
		x.fault("the minion %s does not end: %w", id, err)
	}
	records, err := os.ReadFile(filepath.Join(cache, "jids")) // as the minion has read and rewritten it
	if err != nil {
		x.fault("what the minion %s remembers: %w", id, err)
	}
	known := strings.Fields(string(records))
	for p, at := range x.began {
		if p.id != id || at > x.at {
			continue
		}
		if !slices.Contains(known, p.jid) && !notes[p.jid] {
			x.fault("%s has run job %s and does not know it any more", id, p.jid)
		}
		if acked, ok := x.acked[p]; !notes[p.jid] && !waiting[p.jid] && !(ok && acked <= x.at) {
			x.fault("the return of %s for job %s is gone", id, p.jid)
		}
	}
}

// wholeFiles lists the jobs with a file that a minion can read.
func wholeFiles(pattern string) map[string]bool {
	out := map[string]bool{}
	paths, _ := filepath.Glob(pattern)
	for _, path := range paths {
		base := filepath.Base(path)
		b, err := os.ReadFile(path)
		if m, decodeErr := wire.DecodeMap(b); err == nil && decodeErr == nil && strings.HasSuffix(base, m.String("jid")) {
			out[m.String("jid")] = true
		}
	}
	return out
}
