package api

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
)

const (
	// treeAge is how old a tree may be that is shown to somebody else.
	treeAge = time.Second
	// maxTrees bounds how many of them are kept at a time.
	maxTrees = 16
)

// trees shares what the master has told of its tree among all who watch it at the same
// time: a tree of 100,000 minions is not asked for by each. Whether somebody may see it is
// the master's to say, by the rules of the user and by nothing else; it tells those rules
// with each token, which each request looks up. So those who are held to the same rules
// share one answer, and nobody gets what was told to a user with others. The zero value is
// ready.
type trees struct {
	flight singleflight.Group
	mu     sync.Mutex
	kept   map[string]*seen
}

// seen is a tree, and when it came. Nobody alters it.
type seen struct {
	top      topology.Node
	at       time.Time
	problems func() []topology.Problem
}

// of gives the tree as the holder of a token may see it.
func (t *trees) of(s *Server, c *call) (*seen, error) {
	key, ok := audience(c.token)
	if !ok {
		return fetchTree(c.ctx, s, c.token)
	}
	if have := t.young(key, s.o.Now()); have != nil {
		return have, nil
	}
	leads := false
	done := t.flight.DoChan(key, func() (any, error) {
		leads = true
		// Whoever came first may go before the others have it.
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.ctx))
		defer cancel()
		defer context.AfterFunc(s.ending, cancel)()
		have, err := fetchTree(ctx, s, c.token)
		if err == nil {
			t.keep(key, have, s.o.Now())
		}
		return have, err
	})
	select {
	case r := <-done:
		if r.Err == nil {
			return r.Val.(*seen), nil
		}
		if leads {
			return nil, r.Err
		}
		return fetchTree(c.ctx, s, c.token) // why another was refused is not for this user
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}

// audience names those who are held to the same rules; false where the master does not tell
// which those are.
func audience(token Token) (string, bool) {
	if len(token.Perms) == 0 {
		return "", false
	}
	raw, err := client.RawOf(token.Perms)
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256([]byte(raw))
	//mutant:api-tree-of-others
	return string(sum[:]), true
}

func fetchTree(ctx context.Context, s *Server, token Token) (*seen, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.RunnerTime)
	defer cancel()
	top, err := s.session(token).Tree(ctx)
	if err != nil {
		return nil, err
	}
	return &seen{top: top, at: s.o.Now(), problems: sync.OnceValue(func() []topology.Problem { return topology.Problems(top) })}, nil
}

func (t *trees) young(key string, now time.Time) *seen {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep(now)
	return t.kept[key]
}

func (t *trees) keep(key string, have *seen, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sweep(now); t.kept == nil {
		t.kept = map[string]*seen{}
	}
	if len(t.kept) < maxTrees {
		t.kept[key] = have
	}
}

// sweep lets go what is too old.
func (t *trees) sweep(now time.Time) {
	for key, have := range t.kept {
		if age := now.Sub(have.at); age > treeAge || age < 0 {
			delete(t.kept, key)
		}
	}
}
