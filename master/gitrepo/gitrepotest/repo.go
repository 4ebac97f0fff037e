// Package gitrepotest makes git repositories for tests, proper ones and such as no git would
// make, and serves them by http. It needs no git.
package gitrepotest

import (
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Repo is a bare repository in a folder.
type Repo struct {
	Dir   string
	tb    testing.TB
	Store *filesystem.Storage
	when  int64
}

// New makes an empty one.
func New(tb testing.TB, dir string) *Repo {
	tb.Helper()
	r := &Repo{Dir: dir, tb: tb, Store: filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault()), when: 1_700_000_000}
	if _, err := git.Init(r.Store, nil); err != nil {
		tb.Fatal(err)
	}
	return r
}

// URL is where it is, as a file.
func (r *Repo) URL() string { return "file://" + r.Dir }

// Object enters an object of any bytes.
func (r *Repo) Object(typ plumbing.ObjectType, content string) plumbing.Hash {
	r.tb.Helper()
	o := r.Store.NewEncodedObject()
	o.SetType(typ)
	w, err := o.Writer()
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err != nil {
		r.tb.Fatal(err)
	}
	h, err := r.Store.SetEncodedObject(o)
	if err != nil {
		r.tb.Fatal(err)
	}
	return h
}

// Entry is one of a tree, whatever its name is.
type Entry struct {
	Name string
	Mode filemode.FileMode
	Hash plumbing.Hash
}

// Tree enters a tree with its entries as they come.
func (r *Repo) Tree(entries ...Entry) plumbing.Hash {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(strings.TrimLeft(e.Mode.String(), "0") + " " + e.Name + "\x00" + string(e.Hash[:]))
	}
	return r.Object(plumbing.TreeObject, b.String())
}

// Files are those of a commit by their paths: a content, or "-> TARGET" for a link. A path
// that ends in "*" is executable without it, "@" makes a submodule.
type Files map[string]string

// Commit puts files on a branch, in the place of all that was there.
func (r *Repo) Commit(branch string, f Files) plumbing.Hash {
	r.tb.Helper()
	return r.CommitTree(branch, r.files(f))
}

func (r *Repo) files(f Files) plumbing.Hash {
	var entries []Entry
	below := map[string]Files{}
	for p, text := range f {
		if dir, rest, ok := strings.Cut(p, "/"); ok {
			if below[dir] == nil {
				below[dir] = Files{}
			}
			below[dir][rest] = text
			continue
		}
		e := Entry{p, filemode.Regular, plumbing.ZeroHash}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			e.Mode, text = filemode.Symlink, to
		} else if name, ok := strings.CutSuffix(p, "*"); ok {
			e.Name, e.Mode = name, filemode.Executable
		} else if name, ok := strings.CutSuffix(p, "@"); ok {
			entries = append(entries, Entry{name, filemode.Submodule, plumbing.NewHash("1234567890123456789012345678901234567890")})
			continue
		}
		e.Hash = r.Object(plumbing.BlobObject, text)
		entries = append(entries, e)
	}
	for dir, of := range below {
		entries = append(entries, Entry{dir, filemode.Dir, r.files(of)})
	}
	sort.Slice(entries, func(i, j int) bool { return sortName(entries[i]) < sortName(entries[j]) })
	return r.Tree(entries...)
}

// sortName is by what git sorts.
func sortName(e Entry) string {
	if e.Mode == filemode.Dir {
		return e.Name + "/"
	}
	return e.Name
}

// CommitTree puts a tree on a branch.
func (r *Repo) CommitTree(branch string, tree plumbing.Hash) plumbing.Hash {
	r.tb.Helper()
	r.when += 60
	c := object.Commit{
		Author: r.who(), Committer: r.who(), Message: "change\n", TreeHash: tree,
	}
	name := plumbing.NewBranchReferenceName(branch)
	if old, err := r.Store.Reference(name); err == nil {
		c.ParentHashes = append(c.ParentHashes, old.Hash())
	}
	o := r.Store.NewEncodedObject()
	if err := c.Encode(o); err != nil {
		r.tb.Fatal(err)
	}
	h, err := r.Store.SetEncodedObject(o)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.Ref(name.String(), h)
	return h
}

func (r *Repo) who() object.Signature {
	return object.Signature{Name: "test", Email: "test@example.com", When: time.Unix(r.when, 0).UTC()}
}

// Ref sets a ref to what may be any object.
func (r *Repo) Ref(name string, h plumbing.Hash) {
	r.tb.Helper()
	if err := r.Store.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), h)); err != nil {
		r.tb.Fatal(err)
	}
}

// Annotate makes a tag that is an object.
func (r *Repo) Annotate(name string, h plumbing.Hash, typ plumbing.ObjectType) plumbing.Hash {
	r.tb.Helper()
	t := object.Tag{Name: name, Tagger: r.who(), Message: "tag\n", TargetType: typ, Target: h}
	o := r.Store.NewEncodedObject()
	if err := t.Encode(o); err != nil {
		r.tb.Fatal(err)
	}
	tag, err := r.Store.SetEncodedObject(o)
	if err != nil {
		r.tb.Fatal(err)
	}
	r.Ref("refs/tags/"+name, tag)
	return tag
}

// Delete takes a ref away.
func (r *Repo) Delete(name string) {
	r.tb.Helper()
	if err := r.Store.RemoveReference(plumbing.ReferenceName(name)); err != nil {
		r.tb.Fatal(err)
	}
}
