package gitrepo

import (
	"errors"
	"time"
)

// Limits bound what a remote may do. The zero value of a field means its default.
type Limits struct {
	// Fetch limits the time of one fetch, Idle the time without data. Default 30 minutes and one
	// minute.
	Fetch, Idle time.Duration
	// Refs limits the refs of a remote, Words the bytes that announce them. Default 50,000 and 32
	// MiB.
	Refs  int
	Words int64
	// Pack limits the bytes of one fetch. Default 4 GiB.
	Pack int64
	// Object limits one unpacked object, in bytes: it is in memory while it is stored. Default 128
	// MiB.
	Object int64
	// Objects limits the objects of one fetch, Unpacked their total size in bytes. Default 10
	// million and 64 GiB.
	Objects  uint32
	Unpacked int64
	// Packs is the number of packs after which a copy is fetched whole again, which drops
	// unreachable objects. Default 50.
	Packs int
	// Files limits the files and directories of a listed tree. Default 500,000.
	Files int
	// Names limits the paths and link targets of one list, in bytes. Default 128 MiB.
	Names int
}

func (l Limits) orDefault() Limits {
	def(&l.Fetch, 30*time.Minute)
	def(&l.Idle, time.Minute)
	def(&l.Refs, 50_000)
	def(&l.Words, 32<<20)
	def(&l.Pack, 4<<30)
	def(&l.Object, 128<<20)
	def(&l.Objects, 10_000_000)
	def(&l.Unpacked, 64<<30)
	def(&l.Packs, 50)
	def(&l.Files, 500_000)
	def(&l.Names, 128<<20)
	return l
}

func def[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

const (
	// maxSmall limits trees, commits and tags, which are read whole, in bytes.
	maxSmall = 32 << 20
	// maxDepth limits the depth of a tree, and maxPath the bytes of a path.
	maxDepth, maxPath = 128, 4096
	// maxLinks limits the links on one path, as in Salt.
	maxLinks = 100
	// maxTags limits a chain of tags.
	maxTags = 10
	// maxHaves limits the commits announced to a remote as present.
	maxHaves = 1000
)

var (
	// ErrLimit is wrapped if a remote exceeds [Limits].
	ErrLimit = errors.New("repository limit exceeded")
	// ErrLocked is wrapped if an operator locked the repository.
	ErrLocked = errors.New("it is locked")
	// ErrNever is wrapped if the repository was never fetched.
	ErrNever = errors.New("not fetched yet")

	errSilent = errors.New("the remote went silent")
)
