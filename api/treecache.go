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
	// treeAge is the age up to which a tree is shown to other users.
	treeAge = time.Second
	// maxTrees bounds the trees in the cache.
	maxTrees = 16
)

// treeReader reads the tree for a user; see [Session].
type treeReader interface {
	Tree(ctx context.Context) (topology.Node, error)
}

// treeCache shares the master's answer among all who watch the tree at the same time, because a
// tree of 100,000 minions is large. The master decides who may see it, only by the rules of the
// user, and each request looks up those rules with its token. So users with the same rules share
// one answer, and nobody gets the answer to a user with other rules. It is safe for concurrent use.
type treeCache struct {
	as     func(client.Login) treeReader
	ending context.Context // ends when the server stops
	time   time.Duration   // bounds a call of the master
	now    func() time.Time

	flight singleflight.Group
	mu     sync.Mutex
	trees  map[string]*cachedTree
}

// cachedTree is a tree and the time of its arrival. It is read-only.
type cachedTree struct {
	top      topology.Node
	at       time.Time
	problems func() []topology.Problem
}

// get returns the tree as the user of a token may see it.
func (t *treeCache) get(ctx context.Context, token Token) (*cachedTree, error) {
	key, ok := rulesKey(token)
	if !ok {
		return t.fetch(ctx, token)
	}
	if have := t.young(key); have != nil {
		return have, nil
	}
	leads := false
	done := t.flight.DoChan(key, func() (any, error) {
		leads = true
		// The first client may hang up before the others have the tree.
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(t.ending, cancel)()
		have, err := t.fetch(ctx, token)
		if err == nil {
			t.keep(key, have)
		}
		return have, err
	})
	select {
	case r := <-done:
		if r.Err == nil {
			return r.Val.(*cachedTree), nil
		}
		if leads {
			return nil, r.Err
		}
		return t.fetch(ctx, token) // the error belongs to another user
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// rulesKey identifies the users with the same rules. It returns false if the master does not report
// the rules.
func rulesKey(token Token) (string, bool) {
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

func (t *treeCache) fetch(ctx context.Context, token Token) (*cachedTree, error) {
	ctx, cancel := context.WithTimeout(ctx, t.time)
	defer cancel()
	top, err := t.as(client.Login{Token: token.Token}).Tree(ctx)
	if err != nil {
		return nil, err
	}
	return &cachedTree{top: top, at: t.now(), problems: sync.OnceValue(func() []topology.Problem { return topology.Problems(top) })}, nil
}

func (t *treeCache) young(key string) *cachedTree {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	return t.trees[key]
}

func (t *treeCache) keep(key string, have *cachedTree) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sweep(); t.trees == nil {
		t.trees = map[string]*cachedTree{}
	}
	if len(t.trees) < maxTrees {
		t.trees[key] = have
	}
}

// sweep drops trees that are too old.
func (t *treeCache) sweep() {
	now := t.now()
	for key, have := range t.trees {
		if age := now.Sub(have.at); age > treeAge || age < 0 {
			delete(t.trees, key)
		}
	}
}
