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

// The user and content of a job are fixed when it is first stored. A repeated jid must bring the
// same job or is refused, except that a job with a list target may be extended by another list.

// checkSameJob refuses a load under the jid of a different job. The stored job is not affected. It
// returns nil if the job is new, the same, or extended by j; for the same job it first stores the
// new requester.
func (s *Service) checkSameJob(ctx context.Context, j *Job) error {
	old, given, err := s.publishedJob(ctx, j.JID)
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
	// The same job from another parent may name another user.
	differs := difference(old.Raw, mine)
	if (differs == "" || differs == "tgt") && !j.fromAbove && access.OwnerOf(old) != (access.Owner{Eauth: j.eauth, Name: j.user()}) {
		differs = "user"
	}
	if differs == "tgt" && j.extends(old) {
		differs = ""
	}
	if differs == "" {
		if j.grown != nil { // stored with the extension
			return nil
		}
		//mutant:origins-of-known-jobs
		return s.addRequester(ctx, j)
	}
	err = fmt.Errorf("job %s exists with a different %s; omit jid to get a new one", j.JID, differs)
	s.o.Trespassed(ownership.Trespass{Kind: ownership.OfRecord, Path: j.user(), JID: j.JID, Err: err})
	return server.Invalid("publish: %v", err)
}

// addRequester stores the requester of a known job.
func (s *Service) addRequester(ctx context.Context, j *Job) error {
	if len(j.asks) == 0 {
		return nil
	}
	if _, err := s.o.Store.Save(ctx, returners.Noted(j.asks...)); err != nil {
		return notNow{err}
	}
	return nil
}

// publishedJob returns the load of a job published at this master.
func (s *Service) publishedJob(ctx context.Context, jid string) (returners.Load, bool, error) {
	load, ok, err := s.o.Store.Local().GetLoad(ctx, jid)
	if err != nil || !ok {
		return load, false, err
	}
	xs, err := s.o.Store.Local().GetExpectations(ctx, jid)
	return load, returners.PublishedHere(true, xs...), err
}

// OtherRecord reports a node whose load of a job conflicts with the stored one. The stored load
// stays.
func (s *Service) OtherRecord(ctx context.Context, via, jid string, load wire.Raw) {
	old, given, err := s.publishedJob(ctx, jid)
	if err != nil || !given {
		return
	}
	if load, err = s.mask().Load(load); err != nil {
		return
	}
	differs := difference(old.Raw, load)
	if differs == "tgt" { // a node may have received only some publications of a growing job
		if ours, some := listedIDs(old.Raw), listedIDs(load); len(some) > 0 && containsAll(ours, some) {
			return
		}
	}
	if differs != "" {
		s.o.Trespassed(ownership.Trespass{Kind: ownership.OfRecord, Path: via, JID: jid, Err: fmt.Errorf("%s differs from that of the published job", differs)})
	}
}

// mask returns the masker for secrets in stored and shown job arguments.
func (s *Service) mask() secrets.Masker { return secrets.Masker{Off: !s.o.Config.MaskJobArgs} }

// difference returns the first field in which two loads differ as jobs, or "".
func difference(a, b wire.Raw) string {
	for _, field := range []string{"fun", "tgt_type", "arg", "tgt"} {
		if normalized(a, field) != normalized(b, field) {
			return field
		}
	}
	return ""
}

// normalized returns a field in a form that does not depend on its encoding.
func normalized(load wire.Raw, field string) string {
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

// defaults are the values of missing fields.
var defaults = map[string]string{"tgt_type": `"glob"`, "arg": "[]"}

// keyedLocks is a set of mutexes by key. The zero value is ready.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	mu    sync.Mutex
	users int
}

// Lock blocks until the key is free. The caller must call unlock.
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
