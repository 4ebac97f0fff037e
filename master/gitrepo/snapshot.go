package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/momtree/mom/internal/lru"
)

const (
	// streamed is the size from which on a file is read in pieces, in bytes.
	streamed = 1 << 20
	// cached limits the objects that a snapshot keeps in memory, trees its decoded trees.
	cached, trees = 8 * cache.MiByte, 512
	// cachedTree limits the entries of a cached tree: 512 trees of 32 MiB would be too much.
	cachedTree = 5000
)

// Snapshot is the result of a fetch. It is immutable.
type Snapshot struct {
	refs map[string]plumbing.Hash
	l    Limits
	dir  string
	pack *sync.RWMutex // of the repository

	mu    sync.Mutex // guards store, which is not safe for concurrent use
	store *filesystem.Storage
	all   []plumbing.Hash // of all objects; nil until needed
	trees *lru.Map[plumbing.Hash, []object.TreeEntry]
}

func (r *Repo) newSnapshot(gen int, refs map[string]plumbing.Hash) *Snapshot {
	dir := r.folder(gen)
	return &Snapshot{
		refs: refs, l: r.o.Limits, dir: dir, pack: &r.packs,
		trees: lru.New[plumbing.Hash, []object.TreeEntry](trees), store: openStore(dir, cached),
	}
}

func openStore(dir string, room cache.FileSize) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(osfs.New(dir), cache.NewObjectLRU(room), filesystem.Options{LargeObjectThreshold: streamed})
}

// own opens the objects for a single reader, who does not block others.
func (s *Snapshot) own(h plumbing.Hash) (*filesystem.Storage, error) {
	store := openStore(s.dir, cache.MiByte)
	s.pack.RLock()
	defer s.pack.RUnlock()
	return store, store.HasEncodedObject(h)
}

// Refs lists the refs by local name, such as refs/remotes/origin/main and refs/tags/v1, sorted.
func (s *Snapshot) Refs() []string { return slices.Sorted(maps.Keys(s.refs)) }

func (s *Snapshot) has(h plumbing.Hash) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.HasEncodedObject(h) == nil
}

// whole reports whether the targets of all refs exist.
func (s *Snapshot) whole() error {
	for name, h := range s.refs {
		if !s.has(h) {
			return fmt.Errorf("the object %s of %s is missing", h, name)
		}
	}
	return nil
}

func (s *Snapshot) packs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	packs, _ := s.store.ObjectPacks()
	return len(packs)
}

// small reads an object as a whole.
func (s *Snapshot) small(typ plumbing.ObjectType, h plumbing.Hash) (plumbing.EncodedObject, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, err := s.store.EncodedObjectSize(h)
	if err != nil {
		return nil, err
	}
	if size > maxSmall {
		return nil, fmt.Errorf("%w: %s %s has %d bytes", ErrLimit, typ, h, size)
	}
	return s.store.EncodedObject(typ, h)
}

// Types of refs for [Snapshot.Tree].
const (
	Branch = "branch"
	Tag    = "tag"
	SHA    = "sha"
)

// Tree resolves a name, trying the types of refs in order. ok is false if the name does not exist.
func (s *Snapshot) Tree(types []string, name string) (t Tree, ok bool, err error) {
	for _, typ := range types {
		var h plumbing.Hash
		switch typ {
		case Branch:
			h = s.refs["refs/remotes/origin/"+name]
		case Tag:
			h = s.refs["refs/tags/"+name]
		case SHA:
			if h, err = s.commit(name); err != nil {
				return Tree{}, false, err
			}
		}
		if h.IsZero() {
			continue
		}
		t, err := s.peel(h)
		if errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, errNoTree) {
			continue
		}
		return t, err == nil, err
	}
	return Tree{}, false, nil
}

// commit finds a commit by at least four digits of its hash.
func (s *Snapshot) commit(name string) (plumbing.Hash, error) {
	name = strings.ToLower(name)
	if len(name) < 4 || len(name) > 40 {
		return plumbing.ZeroHash, nil
	}
	if !IsHex(name) {
		return plumbing.ZeroHash, nil
	}
	if len(name) == 40 {
		return plumbing.NewHash(name), nil
	}
	all, err := s.hashes()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	begins := func(h plumbing.Hash) int { return strings.Compare(h.String()[:len(name)], name) }
	at, ok := slices.BinarySearchFunc(all, name, func(h plumbing.Hash, _ string) int { return begins(h) })
	if !ok || at+1 < len(all) && begins(all[at+1]) == 0 { // not found, or ambiguous
		return plumbing.ZeroHash, nil
	}
	return all[at], nil
}

// hashes returns the sorted hashes of all objects. They are collected once, because minions choose
// environments.
func (s *Snapshot) hashes() ([]plumbing.Hash, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	//mutant:git-many-names
	if s.all == nil {
		all, err := s.store.HashesWithPrefix(nil)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(all, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
		s.all = slices.Compact(all)
	}
	return s.all, nil
}

// IsHex reports whether text consists of hex digits.
func IsHex(text string) bool {
	return text != "" && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

var errNoTree = errors.New("not a tree or commit")

// peel resolves tags and commits to a tree.
func (s *Snapshot) peel(h plumbing.Hash) (Tree, error) {
	for range maxTags {
		o, err := s.small(plumbing.AnyObject, h)
		if err != nil {
			return Tree{}, err
		}
		switch o.Type() {
		case plumbing.CommitObject:
			var c object.Commit
			if err := c.Decode(o); err != nil {
				return Tree{}, fmt.Errorf("commit %s: %w", h, err)
			}
			return Tree{s, c.TreeHash, c.Committer.When.Unix()}, nil
		case plumbing.TagObject:
			var t object.Tag
			if err := t.Decode(o); err != nil {
				return Tree{}, fmt.Errorf("tag %s: %w", h, err)
			}
			h = t.Target
		default:
			return Tree{}, fmt.Errorf("%s is a %s: %w", h, o.Type(), errNoTree)
		}
	}
	return Tree{}, fmt.Errorf("%w: a chain of more than %d tags", ErrLimit, maxTags)
}
