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

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
)

// revokedFile in pki_dir keeps which keys are gone, one per line, until no voucher that stands on
// one can count any more.
const revokedFile = "keys_gone"

// revocations know which keys are gone: those deleted or rejected at this node, and those of which nodes
// below or the master above have told. Safe for concurrent use.
type revocations struct {
	path, own string
	most      int // of one node; more become one that stands for all
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	at     map[string][]revocation // by the node that said it
	file   *os.File                // nil: there was nothing to note yet
	dirty  bool
	closed bool
}

type revocation struct {
	sibling.Gone
	below bool // told by a node below, and to be told to the others
}

// openRevocations reads what earlier lives knew. own is the id of this node, most how many keys are
// told of one by one for each node.
func openRevocations(pkiDir, own string, most int, log *slog.Logger, now func() time.Time) (*revocations, error) {
	g := &revocations{path: filepath.Join(pkiDir, revokedFile), own: own, most: most, log: log, now: now, at: map[string][]revocation{}}
	f, err := os.Open(g.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return g, nil
	case err != nil:
		return nil, fmt.Errorf("which keys are gone: %w", err)
	default:
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if x, ok := parseRevocation(lines.Text()); ok {
				g.put(x)
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("which keys are gone: read %s: %w", g.path, err)
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

// put enters one and tells whether it is new; g.mu is held or nobody else has it.
func (g *revocations) put(x revocation) bool {
	have := g.at[x.By]
	if g.old(x) || slices.ContainsFunc(have, func(y revocation) bool {
		return y.Gone == x.Gone || y.ID == "" && !x.At.After(y.At) // that stands for it
	}) {
		return false
	}
	if len(have) >= g.most && x.ID != "" {
		g.log.Warn("too many keys removed at a node, revoking all its earlier vouchers", "node", x.By, "keys", len(have))
		x.Gone = sibling.Gone{By: x.By, At: x.At}
	}
	if x.ID == "" {
		have = slices.DeleteFunc(slices.Clone(have), func(y revocation) bool { return !y.At.After(x.At) })
	}
	g.at[x.By] = append(slices.Clone(have), x)
	return true
}

// Note takes what is gone; below: a node below says it. What is new is in the file when it
// returns, and synced by Sweep.
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
		return fresh, fmt.Errorf("write down which keys are gone: %w", err)
	}
	return fresh, nil
}

// Of gives what a node has said, as long as it counts.
func (g *revocations) Of(node string) []sibling.Gone {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list(func(x revocation) bool { return x.By == node })
}

// Told gives what the nodes below have said, but for one of them: it is told that.
func (g *revocations) Told(node string) []sibling.Gone {
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

// Void tells why a voucher counts for nothing, if so.
func (g *revocations) Void(v sibling.Voucher) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, xs := range g.at {
		for _, x := range xs {
			if !g.old(x) && x.Voids(v, g.own) {
				return fmt.Errorf("voucher of %s for %s: %w: that key was deleted at %s at %s", v.Issuer, v.ID, sibling.ErrBad, x.By, x.At.Format(time.RFC3339))
			}
		}
	}
	return nil
}

// Sweep has the disk take what was noted, and forgets what is too old to matter.
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
		return errors.Join(fmt.Errorf("sync which keys are gone: %w", err), g.rewrite())
	}
	g.dirty = false
	return nil
}

// rewrite writes the file anew; g.mu is held.
func (g *revocations) rewrite() error {
	var text strings.Builder
	for _, xs := range g.at {
		for _, x := range xs {
			text.WriteString(formatRevocation(x))
		}
	}
	if err := crypt.WriteFile(g.path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("write which keys are gone: %w", err)
	}
	f, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("write which keys are gone: %w", err)
	}
	if g.file != nil {
		_ = g.file.Close() // what it held is in the new one
	}
	g.file, g.dirty = f, false
	return nil
}

// empty tells that no key is known to be gone.
func (g *revocations) empty() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.list(func(revocation) bool { return true })) == 0
}

// remove closes and removes the file.
func (g *revocations) remove() error { return errors.Join(g.Close(), removeFile(g.path)) }

// Close syncs and ends them.
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
