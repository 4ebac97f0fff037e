package failover

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/sibling"
)

// revokedFile in pki_dir lists revoked keys, one per line, until all vouchers for them have
// expired.
const revokedFile = "keys_gone"

// revocations holds the keys deleted or rejected at this node, and those reported by children
// and parents. It is safe for concurrent use.
type revocations struct {
	path, own string
	most      int // keys per node; beyond it one entry revokes all of the node
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	at     map[string][]revocation // by the node that revoked
	file   *os.File                // nil before the first entry
	dirty  bool
	closed bool
}

type revocation struct {
	sibling.Gone
	below bool // reported by a child, to be sent to the others
}

// openRevocations reads the file in pkiDir. own is the id of this node, most the number of
// keys kept per node.
func openRevocations(pkiDir, own string, most int, log *slog.Logger, now func() time.Time) (*revocations, error) {
	g := &revocations{path: filepath.Join(pkiDir, revokedFile), own: own, most: most, log: log, now: now, at: map[string][]revocation{}}
	f, err := os.Open(g.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return g, nil
	case err != nil:
		return nil, fmt.Errorf("read revoked keys: %w", err)
	default:
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if x, ok := parseRevocation(lines.Text()); ok {
				g.put(x)
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("read revoked keys from %s: %w", g.path, err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g, g.rewrite()
}

func parseRevocation(line string) (x revocation, ok bool) {
	var at int64
	var below int
	_, err := fmt.Sscanf(line, "%d %d %q %q %q %q", &at, &below, &x.ID, &x.Finger, &x.By, &x.Home)
	x.At, x.below = time.Unix(0, at), below == 1
	return x, err == nil && x.Usable() && x.By != ""
}

func formatRevocation(x revocation) string {
	below := 0
	if x.below {
		below = 1
	}
	return fmt.Sprintf("%d %d %q %q %q %q\n", x.At.UnixNano(), below, x.ID, x.Finger, x.By, x.Home)
}

func (g *revocations) old(x revocation) bool { return g.now().Sub(x.At) > sibling.GoneLife }

// put adds an entry and reports whether it is new. The caller holds g.mu.
func (g *revocations) put(x revocation) bool {
	have := g.at[x.By]
	if g.old(x) || slices.ContainsFunc(have, func(y revocation) bool {
		return y.Gone == x.Gone || y.ID == "" && !x.At.After(y.At) // covered by an entry for the whole node
	}) {
		return false
	}
	if len(have) >= g.most && x.ID != "" {
		g.log.Warn("too many revoked keys of a node, revoking all its earlier vouchers", "node", x.By, "keys", len(have))
		x.Gone = sibling.Gone{By: x.By, At: x.At}
	}
	if x.ID == "" {
		have = slices.DeleteFunc(slices.Clone(have), func(y revocation) bool { return !y.At.After(x.At) })
	}
	g.at[x.By] = append(slices.Clone(have), x)
	return true
}

// Note adds entries and returns the new ones. below says that a child reported them. They are
// in the file when it returns; Sweep syncs it.
func (g *revocations) Note(below bool, xs ...sibling.Gone) (fresh []sibling.Gone, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var failed error
	if g.file == nil && !g.closed && len(xs) > 0 {
		failed = g.rewrite()
	}
	var lines strings.Builder
	for _, x := range xs {
		if y := (revocation{x, below}); g.put(y) {
			fresh = append(fresh, x)
			lines.WriteString(formatRevocation(y))
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	g.dirty = true
	if failed != nil {
		return fresh, failed
	}
	//mutant:revocations-outlive-the-process
	if _, err := g.file.WriteString(lines.String()); err != nil {
		return fresh, fmt.Errorf("write revoked keys: %w", err)
	}
	return fresh, nil
}

// Of returns the keys that a node has revoked, without expired entries.
func (g *revocations) Of(node string) []sibling.Gone {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list(func(x revocation) bool { return x.By == node })
}

// ForChild returns what the children have revoked, except for the child node itself.
func (g *revocations) ForChild(node string) []sibling.Gone {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list(func(x revocation) bool { return x.below && x.By != node })
}

func (g *revocations) list(ok func(revocation) bool) (out []sibling.Gone) {
	for _, xs := range g.at {
		for _, x := range xs {
			if ok(x) && !g.old(x) {
				out = append(out, x.Gone)
			}
		}
	}
	return out
}

// Void returns an error if the key of a voucher is revoked.
func (g *revocations) Void(v sibling.Voucher) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, xs := range g.at {
		for _, x := range xs {
			if !g.old(x) && x.Voids(v, g.own) {
				return fmt.Errorf("voucher of %s for %s: %w: the key was deleted at %s at %s", v.Issuer, v.ID, sibling.ErrBad, x.By, x.At.Format(time.RFC3339))
			}
		}
	}
	return nil
}

// Sweep syncs new entries and drops expired ones.
func (g *revocations) Sweep() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	old := 0
	for by, xs := range g.at {
		left := slices.DeleteFunc(slices.Clone(xs), g.old)
		old += len(xs) - len(left)
		if g.at[by] = left; len(left) == 0 {
			delete(g.at, by)
		}
	}
	if old > 0 {
		return g.rewrite()
	}
	if !g.dirty {
		return nil
	}
	if err := g.file.Sync(); err != nil {
		return errors.Join(fmt.Errorf("sync revoked keys: %w", err), g.rewrite())
	}
	g.dirty = false
	return nil
}

// rewrite replaces the file. The caller holds g.mu.
func (g *revocations) rewrite() error {
	var text strings.Builder
	for _, xs := range g.at {
		for _, x := range xs {
			text.WriteString(formatRevocation(x))
		}
	}
	if err := durable.WriteFile(g.path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write revoked keys: %w", err)
	}
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("write revoked keys: %w", err)
	}
	if g.file != nil {
		_ = g.file.Close() // its content is in the new file
	}
	g.file, g.dirty = f, false
	return nil
}

// empty reports whether no key is known to be revoked.
func (g *revocations) empty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.list(func(revocation) bool { return true })) == 0
}

// remove closes and deletes the file.
func (g *revocations) remove() error { return errors.Join(g.Close(), removeFile(g.path)) }

// Close syncs and closes the file.
func (g *revocations) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.file == nil {
		return nil
	}
	err := errors.Join(g.file.Sync(), g.file.Close())
	g.file = nil
	return err
}
