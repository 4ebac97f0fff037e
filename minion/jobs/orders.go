package jobs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jobfields"
)

// seenOrders records signed jobs while their signatures are valid, over restarts of the minion,
// so that a node in between cannot make one run twice.
type seenOrders struct {
	path string
	// max bounds the recorded jobs (bound seen_jobs). If more are valid at once, the oldest are
	// forgotten, and jobs as old as those are refused from then on.
	max int

	mu    sync.Mutex
	byJID map[string]seenOrder
	order []string
	floor time.Time // orders issued before this time are refused
}

type seenOrder struct{ issued, expires time.Time }

func (s seenOrder) over(now time.Time) bool { return now.After(s.expires.Add(jobfields.Skew)) }

// openSeenOrders reads the jobs that an earlier run recorded and rewrites the file without
// expired ones.
func openSeenOrders(path string, most int, now time.Time) (*seenOrders, error) {
	s := &seenOrders{path: path, max: most, byJID: map[string]seenOrder{}}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var kept strings.Builder
	lines := bufio.NewScanner(strings.NewReader(string(b)))
	for lines.Scan() {
		jid, o, ok := parseSeen(lines.Text())
		if !ok || o.over(now) { // a partial line: the minion was killed while it wrote
			continue
		}
		s.enter(jid, o)
		kept.WriteString(seenLine(jid, o))
	}
	if len(b) == kept.Len() {
		return s, nil
	}
	return s, durable.WriteFile(path, []byte(kept.String()), 0o600)
}

func seenLine(jid string, o seenOrder) string {
	return fmt.Sprintf("%d %d %q\n", o.issued.Unix(), o.expires.Unix(), jid)
}

func parseSeen(line string) (jid string, o seenOrder, ok bool) {
	var issued, expires int64
	n, err := fmt.Sscanf(line, "%d %d %q", &issued, &expires, &jid)
	return jid, seenOrder{time.Unix(issued, 0), time.Unix(expires, 0)}, err == nil && n == 3
}

func (s *seenOrders) has(jid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.byJID[jid]
	return ok
}

// add records a job, also on disk, before it runs.
func (s *seenOrders) add(jid string, issued, expires, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byJID[jid]; ok {
		return errReplayed
	}
	if issued.Before(s.floor) {
		return fmt.Errorf("%w, or is as old as jobs that are forgotten", errReplayed)
	}
	o := seenOrder{issued, expires}
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("it could not be noted: %w", err)
	}
	_, err = f.WriteString(seenLine(jid, o))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("it could not be noted: %w", err)
	}
	s.enter(jid, o)
	return s.trim(now)
}

func (s *seenOrders) enter(jid string, o seenOrder) {
	s.byJID[jid] = o
	s.order = append(s.order, jid)
}

// trim does nothing while there are at most max jobs. Otherwise it forgets expired jobs and,
// until half of max are left, the oldest, and rewrites the file.
func (s *seenOrders) trim(now time.Time) error {
	if len(s.order) <= s.max {
		return nil
	}
	kept := s.order[:0]
	for _, jid := range s.order {
		if s.byJID[jid].over(now) {
			delete(s.byJID, jid)
			continue
		}
		kept = append(kept, jid)
	}
	for len(kept) > s.max/2 {
		o := s.byJID[kept[0]]
		if after := o.issued.Add(time.Second); after.After(s.floor) {
			s.floor = after
		}
		delete(s.byJID, kept[0])
		kept = kept[1:]
	}
	s.order = append([]string(nil), kept...)
	var b strings.Builder
	for _, jid := range s.order {
		b.WriteString(seenLine(jid, s.byJID[jid]))
	}
	return durable.WriteFile(s.path, []byte(b.String()), 0o600)
}
