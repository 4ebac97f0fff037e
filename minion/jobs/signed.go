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

// unsignedFuns are the functions that nodes may publish unsigned with verify_top, because they
// use them to look for silent minions. The functions reveal and change nothing.
var unsignedFuns = []string{"saltutil.find_job", "test.ping"}

// errReplayed means that a signed job has run before.
var errReplayed = errors.New("it has been run before")

// topCheck admits only jobs that the top has signed (verify_top). A nil topCheck admits all.
type topCheck struct {
	verifier *jobfields.Verifier
	seen     *seenOrders
	refused  atomic.Uint64
}

// newTopCheck reads the keys of the tops. It returns nil without verify_top.
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

// readTops reads files with one or more public keys each.
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

// permits returns an error if a job is not from the top. It admits an unsigned job of
// unsignedFuns if the job names no returners and executors.
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

// first records a signed job that is about to run. It returns errReplayed if the job has run
// before.
func (c *topCheck) first(jid string, issued, expires, now time.Time) error {
	if c == nil || expires.IsZero() {
		return nil
	}
	return c.seen.add(jid, issued, expires, now)
}

// refuse answers a job that is not from the top. A jid that this minion has worked on is not
// answered: the return of the true job must stand.
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
