package minion

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"

	"github.com/momtree/mom/minion/delivery"
	"github.com/momtree/mom/minion/session"
)

// serveMasters serves as master_type says until ctx ends or no master is left
// that could be served.
func (m *Minion) serveMasters(ctx context.Context) error {
	masters := m.masterList()
	switch {
	case m.cfg.MasterType == "disable":
		<-ctx.Done()
		return nil
	case len(masters) == 0:
		return fmt.Errorf("minion %s has no master: set the option master", m.cfg.ID)
	case m.cfg.MasterType == "failover":
		return m.failover(ctx, masters)
	case m.cfg.Rehome && len(masters) == 1:
		return m.serveOrSibling(ctx, masters[0])
	default:
		return m.serveEach(ctx, masters)
	}
}

// masterList is the option master, shuffled if so configured; with
// master_failback the first stays first.
func (m *Minion) masterList() []string {
	list := append([]string(nil), m.cfg.Master...)
	if !m.cfg.RandomMaster && !m.cfg.MasterShuffle {
		return list
	}
	rest := list
	if m.cfg.MasterType == "failover" && m.cfg.MasterFailback && len(list) > 0 {
		rest = list[1:]
	}
	rand.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return list
}

// serveEach serves every master at the same time. One that refuses this minion
// for good is left; the others go on.
func (m *Minion) serveEach(ctx context.Context, masters []string) error {
	known := map[string]bool{}
	var sessions []*session.Session
	defer func() {
		for _, s := range sessions {
			_ = s.Channel().Close()
		}
	}()
	for _, name := range masters {
		box, err := delivery.OpenOutbox(m.outboxDir(name), m.cfg.Bounds.OrDefault().Returns, m.log)
		if err != nil {
			return err
		}
		s, err := m.sessions.Open(name, box, session.Options{})
		if err != nil {
			return err
		}
		sessions, known[name] = append(sessions, s), true
	}
	errs := make([]error, len(sessions))
	var wg sync.WaitGroup
	for i, s := range sessions {
		m.jobs.ReportInterrupted(s, known)
		wg.Go(func() {
			res, err := s.SignIn(ctx)
			if err != nil {
				if errs[i] = err; ctx.Err() == nil {
					m.log.Error("this master is given up", "master", s.Name(), "err", err)
				}
				return
			}
			s.Serve(ctx, res)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// outboxDir is the folder of the returns for one master. Failover masters share
// one: whoever is in charge gets what is left.
func (m *Minion) outboxDir(name string) string {
	safe := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\:[]%\x00", r) {
			return '_'
		}
		return r
	}, name)
	if strings.HasPrefix(safe, ".") {
		safe = "_" + safe
	}
	return filepath.Join(m.cfg.Cachedir, "returns", safe)
}
