package gitrepo

import (
	"errors"
	"time"
)

// Limits bound what a remote may do. The zero value of a field is its default.
type Limits struct {
	// Fetch is how long one fetch may take, Idle how long the remote may send nothing.
	// Default 30 minutes and one minute.
	Fetch, Idle time.Duration
	// Refs bounds the refs of a remote, Words the bytes by which it tells them. Default 50,000
	// and 32 MiB.
	Refs  int
	Words int64
	// Pack bounds what one fetch brings, in bytes. Default 4 GiB.
	Pack int64
	// Object bounds one object, unpacked, in bytes: it is in memory while it is entered.
	// Default 128 MiB.
	Object int64
	// Objects bounds how many one fetch brings, Unpacked their bytes together. Default
	// 10 million and 64 GiB.
	Objects  uint32
	Unpacked int64
	// Packs is how many packs a copy has before it is fetched whole again, which drops what
	// no ref leads to any more. Default 50.
	Packs int
	// Files bounds the files and folders of one tree that is listed. Default 500,000.
	Files int
	// Names bounds the paths of one list, with what links lead to, in bytes. Default 128 MiB.
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
	// maxSmall bounds trees, commits and tags, which are read whole, in bytes.
	maxSmall = 32 << 20
	// maxDepth is how many folders a tree may be deep, and maxPath the bytes of a path.
	maxDepth, maxPath = 128, 4096
	// maxLinks is how many links one path may lead over, as in Salt.
	maxLinks = 100
	// maxTags is how many tags may stand behind each other.
	maxTags = 10
	// maxHaves is how many commits a remote is told that are here.
	maxHaves = 1000
)

var (
	// ErrLimit is wrapped when a remote sends more than [Limits] allow.
	ErrLimit = errors.New("it is more than is taken from a repository")
	// ErrLocked is wrapped by a fetch that an operator has locked.
	ErrLocked = errors.New("it is locked")
	// ErrNever is wrapped when nothing was ever fetched.
	ErrNever = errors.New("it has not been fetched yet")

	errSilent = errors.New("the remote went silent")
)
