package keys

import (
	"cmp"
	"crypto/rsa"
	"crypto/sha256"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/crypt"
)

// folder is the index of one key folder. The store's lock guards it.
type folder struct {
	ids    map[string]*entry
	sorted []string            // all ids in order, once dirty is empty
	dirty  map[string]struct{} // ids added or removed since
	seen   time.Time           // time of the folder at its last scan, zero: scan again
}

// entry is one key file. Its content is read on first use: a listing needs names only, and most keys
// of a large master are rarely used.
type entry struct {
	// named is the last key read from the file, to be reported when it is removed, even if the
	// file was being written then. nil if there was none.
	named   atomic.Pointer[crypt.FingerSum]
	content atomic.Pointer[content]
	changes atomic.Uint32 // counts hints of a change, so that no older content is kept
}

// content is the cached content of a key file: the parsed key, and hashes instead of the text, a
// quarter of the size.
type content struct {
	stamp  stamp
	sum    keySum
	pub    *rsa.PublicKey // nil when err is set
	finger crypt.FingerSum
	err    error
}

// stamp identifies a version of a file.
type stamp struct {
	at   time.Time
	size int64
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.ModTime(), info.Size()} }

// keySum identifies a key text without line ends and outer white space. Two texts hold the same key
// if their sums are equal.
type keySum [sha256.Size]byte

func sumOf(text string) keySum { return sha256.Sum256([]byte(crypt.CleanPEM(text))) }

// list returns all ids in order. The slice is never modified. After k changes it costs one walk over
// the ids and a sort of k ids.
func (f *folder) list() []string {
	if len(f.dirty) == 0 {
		return f.sorted
	}
	changed := make([]string, 0, len(f.dirty))
	for id := range f.dirty {
		changed = append(changed, id)
	}
	slices.SortFunc(changed, compareIDs)
	merged := make([]string, 0, len(f.ids))
	old := f.sorted
	for _, id := range changed {
		i, known := slices.BinarySearchFunc(old, id, compareIDs)
		merged = append(merged, old[:i]...)
		if old = old[i:]; known {
			old = old[1:]
		}
		if f.ids[id] != nil {
			merged = append(merged, id)
		}
	}
	f.sorted = append(merged, old...)
	clear(f.dirty)
	return f.sorted
}

// compareIDs compares ids in Salt's order: without case, then by bytes.
func compareIDs(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}
