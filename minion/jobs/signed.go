package jobs

import (
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// unsignedFuns are the functions that a node in between may publish of itself
// with verify_top: it has to ask for silent minions, and they tell nothing and
// alter nothing.
var unsignedFuns = []string{"saltutil.find_job", "test.ping"}

// errReplayed means that a signed job was run before.
var errReplayed = errors.New("it has been run before")

// topCheck lets through what the top has ordered (verify_top). A nil one lets
// everything through.
type topCheck struct {
	verifier *jobfields.Verifier
	seen     *seenOrders
	refused  atomic.Uint64
}

// newTopCheck reads the keys of the tops; nil without verify_top.
func newTopCheck(cfg *config.Minion, now func() time.Time) (*topCheck, error) {
	if len(cfg.VerifyTop) == 0 {
		return nil, nil
	}
	c := &topCheck{}
	v, err := readTops(cfg.VerifyTop)
	if err != nil {
		return nil, fmt.Errorf("verify_top: %w", err)
	}
	c.verifier = v
	if c.seen, err = openSeenOrders(filepath.Join(cfg.Cachedir, "orders"), cfg.Bounds.OrDefault().SeenJobs, now()); err != nil {
		return nil, fmt.Errorf("verify_top: %w", err)
	}
	return c, nil
}

// readTops reads files of one or several public keys each.
func readTops(files []string) (*jobfields.Verifier, error) {
	v := jobfields.NewVerifier()
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found := 0
		for {
			var block *pem.Block
			if block, b = pem.Decode(b); block == nil {
				break
			}
			key, err := crypt.ParsePublicPEM(string(pem.EncodeToMemory(block)))
			if err != nil {
				return nil, fmt.Errorf("%s, key %d: %w", name, found+1, err)
			}
			v.Add(key)
			found++
		}
		if found == 0 {
			return nil, fmt.Errorf("%s holds no public key", name)
		}
	}
	return v, nil
}

// permits tells why a job is not one of the top's, if so. A job of the closed
// list is let through as long as it says nothing of returners and executors.
func (c *topCheck) permits(p wire.Publication, now time.Time) (issued, expires time.Time, err error) {
	if c == nil {
		return issued, expires, nil
	}
	issued, expires, err = c.verifier.Verify(p, now)
	if errors.Is(err, jobfields.ErrUnsigned) && harmless(p) {
		return time.Time{}, time.Time{}, nil
	}
	return issued, expires, err
}

func harmless(p wire.Publication) bool {
	fun, err := wire.Str(p.Fun)
	if err != nil || !slices.Contains(unsignedFuns, fun) || p.Ret != "" || p.RetConfig != "" {
		return false
	}
	for _, r := range []wire.Raw{p.RetKwargs, p.ModuleExecutors, p.ExecutorOpts} {
		if len(r) > 0 && !wire.IsNil(r) && wire.Truth(r) {
			return false
		}
	}
	return true
}

// first notes a signed job that is about to run; its error tells that it ran
// before.
func (c *topCheck) first(jid string, issued, expires, now time.Time) error {
	if c == nil || expires.IsZero() {
		return nil
	}
	return c.seen.add(jid, issued, expires, now)
}

// refuse answers a job that is not the top's. A jid that this minion has worked
// on is not answered: the return of the true job must stand.
func (j *Jobs) refuse(from Master, p wire.Publication, why error) error {
	j.tops.refused.Add(1)
	err := fmt.Errorf("job %s is refused (verify_top): %w", p.JID, why)
	if j.recent.has(p.JID) || j.tops.seen.has(p.JID) || !j.Config.PubRet {
		return err
	}
	j.Log.Warn("job rejected: it differs from the order of the top", "jid", p.JID, "fun", text(p.Fun), "master", from.Name(), "refused", j.tops.refused.Load(), "err", why)
	full, ferr := j.Encoder.Return(p, delivery.Failure(p, "ERROR: "+err.Error()))
	if ferr != nil {
		return errors.Join(err, ferr)
	}
	return errors.Join(err, from.Push(p.JID, full))
}
