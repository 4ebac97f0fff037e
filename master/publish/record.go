package publish

import (
	"context"
	"fmt"
	"sync"

	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// Who asked for a job and what is settled when it is first stored, and never changes: whoever
// gives the same jid again gives the same job, or is refused. A job whose target is a list of
// minions may be given again with another list, which extends it.

// sameJob refuses a job under a jid that was given to this master for another one. The
// one that was first goes on undisturbed. nil: it is new here, or extends the one that is, or
// is the same, and who asks for it now is stored before anything of it is told.
func (s *Service) sameJob(ctx context.Context, j *Job) error {
	old, given, err := s.givenJob(ctx, j.JID)
	if err != nil {
		return notNow{err}
	}
	if !given {
		return nil
	}
	mine, err := j.stored(s.mask())
	if err != nil {
		return server.Invalid("%v", err)
	}
	// A second way on which the same job comes down may name another user of its own.
	differs := difference(old.Raw, mine)
	if (differs == "" || differs == "tgt") && !j.fromAbove && access.OwnerOf(old) != (access.Owner{Eauth: j.eauth, Name: j.user()}) {
		differs = "user"
	}
	if differs == "tgt" && j.extends(old) {
		differs = ""
	}
	if differs == "" {
		if j.grown != nil { // stored with what is new
			return nil
		}
		//mutant:origins-of-known-jobs
		return s.asksToo(ctx, j)
	}
	err = fmt.Errorf("job %s is another one here, with another %s: nothing was published; leave the jid to the master", j.JID, differs)
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfRecord, Path: j.user(), JID: j.JID, Err: err})
	return server.Invalid("publish: %v", err)
}

// asksToo stores who asks for a job that is known.
func (s *Service) asksToo(ctx context.Context, j *Job) error {
	if len(j.asks) == 0 {
		return nil
	}
	if err := s.o.Note(ctx, j.asks...); err != nil {
		return notNow{err}
	}
	return nil
}

// givenJob reads the load of a job that was given to this master.
func (s *Service) givenJob(ctx context.Context, jid string) (returners.Load, bool, error) {
	load, ok, err := s.o.Store.Local().GetLoad(ctx, jid)
	if err != nil || !ok {
		return load, false, err
	}
	xs, err := s.o.Store.Local().GetExpectations(ctx, jid)
	return load, returners.PublishedHere(true, xs...), err
}

// OtherRecord tells of a node that brings another load to a job of this master than
// the one it was given. What is stored stays.
func (s *Service) OtherRecord(ctx context.Context, via, jid string, load wire.Raw) {
	old, given, err := s.givenJob(ctx, jid)
	if err != nil || !given {
		return
	}
	if load, err = s.mask().Load(load); err != nil {
		return
	}
	differs := difference(old.Raw, load)
	if differs == "tgt" { // a node may not have been given all publications of a job that grows
		if ours, some := named(old.Raw), named(load); len(some) > 0 && containsAll(ours, some) {
			return
		}
	}
	if differs != "" {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfRecord, Path: via, JID: jid, Err: fmt.Errorf("the job has another %s there than the one that was published", differs)})
	}
}

// mask hides secrets in what is stored and shown of jobs.
func (s *Service) mask() secrets.Masker { return secrets.Masker{Off: !s.o.Config.MaskJobArgs} }

// difference names the first field in which two loads are different jobs.
func difference(a, b wire.Raw) string {
	for _, field := range []string{"fun", "tgt_type", "arg", "tgt"} {
		if meaning(a, field) != meaning(b, field) {
			return field
		}
	}
	return ""
}

// meaning is a field in a form in which the ways of writing one value are the same.
func meaning(load wire.Raw, field string) string {
	v, err := wire.Field(load, field)
	if err != nil || len(v) == 0 || wire.IsNil(v) {
		return defaults[field]
	}
	text, err := wire.ToJSON(v)
	if err != nil {
		return string(v)
	}
	return string(text)
}

// defaults are what a field that is not there means.
var defaults = map[string]string{"tgt_type": `"glob"`, "arg": "[]"}

// keyedLocks let one caller at a time work at what a key names. The zero value is
// ready.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	mu    sync.Mutex
	users int
}

// Lock waits for the key's turn; the caller gives it back by unlock.
func (k *keyedLocks) Lock(key string) (unlock func()) {
	k.mu.Lock()
	if k.held == nil {
		k.held = map[string]*keyedLock{}
	}
	l := k.held[key]
	if l == nil {
		l = &keyedLock{}
		k.held[key] = l
	}
	l.users++
	k.mu.Unlock()
	l.mu.Lock()
	return func() {
		l.mu.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(k.held, key)
		}
	}
}
