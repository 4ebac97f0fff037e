package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/master/keys"
)

// recordsFile is the file of the records in pki_dir.
const recordsFile = "cluster_keys"

// keyMode is the mode of a rejected key's file.
const keyMode = 0o644

// KeysOptions configures [Keys]. All fields are required.
type KeysOptions struct {
	PkiDir string
	Node   string // id of this top
	Store  interface {
		Has(st keys.State, id string) bool
		List(st keys.State) []string
		Print(sel keys.Selection) ([]keys.Shown, error)
		Refresh(id string)
	}
	Editor interface {
		Enter(id string, pem []byte, replace bool) error
		Reject(sel keys.Selection) ([]keys.Key, error)
		Delete(sel keys.Selection) ([]keys.Key, error)
	}
	// Own reports whether an id is that of a top: an operator accepts and admits it at each side.
	Own func(id string) bool
	// Age is the clock of the records.
	Age func() time.Time
	Log *slog.Logger
}

// Keys makes the decisions of operators about keys the same at all tops: accepted, rejected and
// deleted keys, and nodes that are admitted. It is safe for concurrent use.
type Keys struct {
	o    KeysOptions
	wake chan struct{}

	marks sync.Mutex
	dirty map[string]struct{} // ids whose key or admission may have changed here

	mu      sync.Mutex
	records map[string]record
	digest  string          // "": records have changed
	saved   bool            // the file has the records
	fresh   bool            // no earlier run has recorded anything
	clash   map[string]bool // ids with different keys from before
}

// OpenKeys reads the records. What has changed while this top was down is a decision of now.
func OpenKeys(o KeysOptions) *Keys {
	k := &Keys{o: o, wake: make(chan struct{}, 1), dirty: map[string]struct{}{}, records: map[string]record{}, clash: map[string]bool{}}
	b, err := os.ReadFile(k.path())
	if err == nil {
		k.records, err = decodeRecords(b)
	}
	k.fresh = err != nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.records = map[string]record{}
		o.Log.Warn("key records unreadable, written anew", "path", k.path(), "err", err)
	}
	for _, st := range []keys.State{keys.Accepted, keys.Rejected} {
		for _, id := range o.Store.List(st) {
			k.dirty[id] = struct{}{}
		}
	}
	for id := range k.records {
		k.dirty[id] = struct{}{}
	}
	return k
}

func (k *Keys) path() string { return filepath.Join(k.o.PkiDir, recordsFile) }

// Changed reports that the key or the admission of an id may have changed here. It does not block.
func (k *Keys) Changed(ids ...string) {
	k.marks.Lock()
	for _, id := range ids {
		k.dirty[id] = struct{}{}
	}
	k.marks.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// look records what has changed here and passes it to push.
func (k *Keys) look(push func(list ...any)) {
	k.marks.Lock()
	ids := slices.Sorted(maps.Keys(k.dirty))
	clear(k.dirty)
	k.marks.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		now, pem := k.local(id)
		old, known := k.records[id]
		if k.o.Own(id) || known && now.same(old) || !known && now.State == deleted {
			continue
		}
		now.By, now.At = k.o.Node, max(k.o.Age().UnixMicro(), old.At+1)
		if k.fresh {
			now.At = existing
		}
		k.set(now)
		push(now.wire(pem))
	}
	k.fresh = false
	k.save()
}

// local returns the state of an id here, with its key.
func (k *Keys) local(id string) (r record, pem string) {
	r = record{ID: id, State: deleted}
	for _, st := range []keys.State{keys.Rejected, keys.Accepted} { // a rejected key counts first
		shown, err := k.o.Store.Print(keys.Selection{st: {id}})
		if err != nil || len(shown) == 0 {
			continue
		}
		pub, err := crypt.ParsePublicPEM(shown[0].Text)
		if err != nil { // the key is not usable here either
			continue
		}
		r.State, r.Key, pem = rejected, crypt.Finger(pub), shown[0].Text
		if st == keys.Accepted {
			r.State = accepted
		}
		break
	}
	finger, err := admitted.Nodes.Read(k.o.PkiDir, id)
	r.Node = err == nil && finger == r.Key
	return r, pem
}

func (k *Keys) set(r record) {
	k.records[r.ID] = r
	k.digest, k.saved = "", false
}

// save writes the records if they have changed. After a failure the next look writes them.
func (k *Keys) save() {
	if k.saved {
		return
	}
	b, err := encodeRecords(k.records)
	if err == nil {
		err = durable.WriteFile(k.path(), b, 0o600)
	}
	if err != nil {
		k.o.Log.Error("key records not saved", "path", k.path(), "err", err)
		return
	}
	k.saved = true
}

// Digest identifies the records.
func (k *Keys) Digest() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.digest == "" {
		k.digest = digestOf(k.records)
	}
	return k.digest
}

// all returns all records for another top.
func (k *Keys) all() []any {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]any, 0, len(k.records))
	for _, id := range slices.Sorted(maps.Keys(k.records)) {
		_, pem := k.local(id)
		out = append(out, k.records[id].wire(pem))
	}
	return out
}

// take applies records of another top that are newer than those here.
func (k *Keys) take(from string, list []any) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var errs []error
	for _, v := range list {
		r, pem, ok := readRecord(v)
		old, known := k.records[r.ID]
		switch {
		case !ok || k.o.Own(r.ID):
		case known && r.conflicts(old):
			if !k.clash[r.ID] {
				k.clash[r.ID] = true
				k.o.Log.Warn("key differs from that at another top", "id", r.ID, "master", from, "hint", "accept the right key at one of the tops")
			}
		//mutant:newer-key-decision-counts
		case known && !r.newer(old):
		default:
			if err := k.apply(r, pem); err != nil {
				errs = append(errs, fmt.Errorf("key of %s: %w", r.ID, err))
				continue
			}
			k.set(r)
			delete(k.clash, r.ID)
			k.o.Log.Info("key decision of another top applied", "id", r.ID, "state", r.State, "master", r.By)
		}
	}
	k.save()
	return errors.Join(errs...)
}

// apply makes the key of an id here what r says.
func (k *Keys) apply(r record, pem string) error {
	if err := keys.ValidID(r.ID); err != nil {
		return err
	}
	now, _ := k.local(r.ID)
	if r.State != deleted && (now.State != r.State || now.Key != r.Key) {
		pub, err := crypt.ParsePublicPEM(pem)
		if err != nil {
			return err
		}
		if crypt.Finger(pub) != r.Key {
			return errors.New("the key has another fingerprint")
		}
	}
	var err error
	switch {
	case now.State == r.State && now.Key == r.Key:
	case r.State == accepted:
		if err = k.remove(r.ID, keys.Rejected, keys.Pending); err == nil {
			err = k.o.Editor.Enter(r.ID, []byte(pem), true)
		}
	case r.State == rejected:
		if err = durable.WriteFile(filepath.Join(k.o.PkiDir, keys.Rejected.Folder(), r.ID), []byte(pem), keyMode); err == nil {
			k.o.Store.Refresh(r.ID)
			err = k.remove(r.ID, keys.Accepted, keys.Pending)
		}
	default:
		err = k.remove(r.ID, keys.Accepted, keys.Rejected)
	}
	if err != nil || now.Node == r.Node {
		return err
	}
	if r.Node {
		_, err = admitted.Nodes.Admit(k.o.PkiDir, r.ID)
	} else {
		_, err = admitted.Nodes.Withdraw(k.o.PkiDir, r.ID)
	}
	return err
}

// remove removes the keys of an id in some states.
func (k *Keys) remove(id string, states ...keys.State) error {
	sel := keys.Selection{}
	for _, st := range states {
		if k.o.Store.Has(st, id) {
			sel[st] = []string{id}
		}
	}
	if len(sel) == 0 {
		return nil
	}
	_, err := k.o.Editor.Delete(sel)
	return err
}

// run records changes until ctx ends.
func (k *Keys) run(ctx context.Context, push func(list ...any)) {
	for {
		k.look(push)
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
	}
}
