package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// Match selects the keys whose id matches a glob, or one of several separated by commas, in the
// given states, by default those of [Listed].
func (s *Store) Match(pattern string, states ...State) Selection {
	if len(states) == 0 {
		states = Listed
	}
	return matching(pattern, states, s.List)
}

// Match selects those of the selected keys, in the given states, whose id matches a glob, or one of
// several separated by commas.
func (s Selection) Match(pattern string, states ...State) Selection {
	return matching(pattern, states, func(st State) []string { return s[st] })
}

func matching(pattern string, states []State, ids func(State) []string) Selection {
	globs := strings.Split(pattern, ",")
	out := Selection{}
	for _, st := range states {
		for _, id := range ids(st) {
			if slices.ContainsFunc(globs, func(g string) bool { return target.Glob(g, id) }) {
				out[st] = append(out[st], id)
			}
		}
	}
	return out
}

// All selects every key in the given states, by default those of [Listed].
func (s *Store) All(states ...State) Selection {
	if len(states) == 0 {
		states = Listed
	}
	out := Selection{}
	for _, st := range states {
		if ids := s.List(st); len(ids) > 0 {
			out[st] = ids
		}
	}
	return out
}

// Accept accepts the pending keys of ids.
func (s *Store) Accept(ids ...string) ([]Key, error) { return s.AcceptIn(Selection{Pending: ids}) }

// Delete removes all keys of ids, in whatever state.
func (s *Store) Delete(ids ...string) ([]Key, error) {
	sel := Selection{}
	for _, st := range Listed {
		for _, id := range ids {
			if s.Has(st, id) {
				sel[st] = append(sel[st], id)
			}
		}
	}
	return s.DeleteIn(sel)
}

// AcceptIn accepts the selected keys, and returns those it moved with their previous state. It skips
// keys that are gone. A key that is not an RSA key stays and is named in the error; the others are
// accepted all the same.
func (s *Store) AcceptIn(sel Selection) ([]Key, error) {
	return s.each(sel, func(k Key) error {
		c, err := s.content(k.State, k.ID)
		if err != nil {
			return err
		}
		if c.err != nil {
			return fmt.Errorf("accept %q: %w", k.ID, c.err)
		}
		return s.move(k, Accepted)
	}, Accepted)
}

// RejectIn rejects the selected keys, like [Store.AcceptIn].
func (s *Store) RejectIn(sel Selection) ([]Key, error) {
	return s.each(sel, func(k Key) error { return s.move(k, Rejected) }, Rejected)
}

// DeleteIn removes the selected keys, and returns those it removed.
func (s *Store) DeleteIn(sel Selection) ([]Key, error) {
	return s.each(sel, func(k Key) error {
		err := os.Remove(s.path(k.State, k.ID))
		s.refresh(k.State, k.ID, false)
		if err != nil {
			return fmt.Errorf("delete key: %w", err)
		}
		return nil
	})
}

// each changes the selected keys. The changes are synced when it returns; into are the folders that
// keys move to.
func (s *Store) each(sel Selection, fn func(Key) error, into ...State) (done []Key, err error) {
	var errs []error
	for st := range numStates {
		for _, id := range sel[st] {
			//mutant:cve2020-11652-keys-of-the-folder-2
			if err := ValidID(id); err != nil {
				errs = append(errs, err)
				continue
			}
			unlock := s.lock(id)
			err := fn(Key{st, id})
			unlock()
			switch {
			case err == nil:
				done = append(done, Key{st, id})
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrUnknown):
			default:
				errs = append(errs, err)
			}
		}
	}
	if len(done) == 0 {
		return nil, errors.Join(errs...)
	}
	for _, k := range done {
		if !slices.Contains(into, k.State) {
			into = append(into, k.State)
		}
	}
	for _, st := range into {
		//mutant:power-moved-keys
		errs = append(errs, durable.Names(filepath.Join(s.opts.PkiDir, st.Folder())))
	}
	return done, errors.Join(errs...)
}

// move renames a key file and syncs its content. The caller holds the lock of its id.
func (s *Store) move(k Key, to State) error {
	if k.State == to {
		return fmt.Errorf("%w: %q is already in %s", ErrUnknown, k.ID, to)
	}
	//mutant:power-accepted-keys
	err := durable.File(s.path(k.State, k.ID))
	if err == nil {
		err = os.Rename(s.path(k.State, k.ID), s.path(to, k.ID))
	}
	s.refresh(k.State, k.ID, false)
	s.refresh(to, k.ID, true)
	if err != nil {
		return fmt.Errorf("move key: %w", err)
	}
	return nil
}

// Event returns the data of the event `salt/key` for a change by one of the methods above; act is
// accept, reject or delete.
func Event(act, id string) *wire.Map {
	return wire.NewMap("result", true, "act", act, "id", id)
}

// Shown is a key with its text or fingerprint.
type Shown struct {
	Key
	Text string
}

// Print returns the texts of the selected keys, sorted by state and id.
func (s *Store) Print(sel Selection) ([]Shown, error) {
	return s.show(sel, func(b []byte) (string, error) { return string(b), nil })
}

// Finger returns the fingerprints of the selected keys with hash, by default the store's hash_type.
func (s *Store) Finger(sel Selection, hash string) ([]Shown, error) {
	if hash == "" {
		hash = s.opts.HashType
	}
	return s.show(sel, func(b []byte) (string, error) { return crypt.Fingerprint(b, hash) })
}

func (s *Store) show(sel Selection, fn func([]byte) (string, error)) (out []Shown, err error) {
	var errs []error
	for _, st := range []State{Local, Accepted, Pending, Rejected, Denied} {
		for _, id := range sel[st] {
			var b []byte
			var err error
			if st == Local {
				b, err = os.ReadFile(filepath.Join(s.opts.PkiDir, filepath.Base(id)))
			} else if err = ValidID(id); err == nil {
				b, err = s.text(st, id)
			}
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			text := ""
			if err == nil {
				text, err = fn(b)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("show key of %q in %s: %w", id, st, err))
				continue
			}
			out = append(out, Shown{Key{st, id}, text})
		}
	}
	return out, errors.Join(errs...)
}

// LocalKeys returns the names of the master's own .pem and .pub files that match a glob; [Local]
// selects them.
func (s *Store) LocalKeys(pattern string) ([]string, error) {
	entries, err := os.ReadDir(s.opts.PkiDir)
	if err != nil {
		return nil, fmt.Errorf("list keys of the master: %w", err)
	}
	var out []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if (ext == ".pem" || ext == ".pub") && e.Type().IsRegular() && target.Glob(pattern, e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
