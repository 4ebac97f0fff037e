package files

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/value"
)

// Run checks the sources of the backends for changes until ctx ends: at once, then at the interval
// of each backend.
func (s *Server) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, b := range s.backends {
		u, ok := b.Backend.(Updater)
		if !ok || u.Interval() <= 0 {
			continue
		}
		wg.Go(func() {
			for ctx.Err() == nil {
				//mutant:git-slow-remote
				if d, ok := u.(DueUpdater); ok { // a slow source does not delay others
					wg.Go(func() { _ = s.update(ctx, b.name, d.UpdateDue) }) // already logged
				} else {
					_ = s.update(ctx, b.name, func(ctx context.Context) (*value.Map, error) { return u.Update(ctx, nil) })
				}
				if timing.Sleep(ctx, u.Interval()) != nil {
					return
				}
			}
		})
	}
	wg.Wait()
}

// Update checks the sources of the named backends ("" means all) now. remotes limits it to sources
// whose names contain one of these.
func (s *Server) Update(ctx context.Context, backends string, remotes []string) error {
	var faults []error
	for _, name := range s.Backends(backends) {
		if u, ok := s.backend(name).(Updater); ok {
			faults = append(faults, s.update(ctx, name, func(ctx context.Context) (*value.Map, error) { return u.Update(ctx, remotes) }))
		}
	}
	return errors.Join(faults...)
}

func (s *Server) update(ctx context.Context, name string, look func(context.Context) (*value.Map, error)) error {
	begun := time.Now()
	changes, err := look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.fault(name, "update", "", err)
		}
		err = fmt.Errorf("backend %s: %w", name, err)
	}
	s.log.Debug("file server backend updated", "backend", name, "took", time.Since(begun))
	if changes == nil {
		return err
	}
	if changes.Bool("changed") {
		s.ClearLists(nil, name)
	}
	if s.cfg.FileserverEvents {
		s.fire("salt/fileserver/"+name+"/update", changes)
	}
	return err
}

// ClearCache drops the copies of the named backends ("" means all). It returns, in Salt's words,
// which backends did and what failed.
func (s *Server) ClearCache(ctx context.Context, backends string) (cleared, faults []string) {
	for _, name := range s.Backends(backends) {
		c, ok := s.backend(name).(Cleaner)
		if !ok {
			continue
		}
		if err := c.ClearCache(ctx); err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		s.ClearLists(nil, name)
		cleared = append(cleared, "The "+name+" fileserver cache was successfully cleared")
	}
	return cleared, faults
}

// Lock locks the sources of the named backends ("" means all) whose addresses match a pattern (""
// means all) against updates. It returns, in Salt's words, which were locked and what failed.
func (s *Server) Lock(backends, remote string) (locked, faults []string) {
	return s.eachLocker(backends, func(l Locker) ([]string, []error) { return l.Lock(remote) })
}

// ClearLock removes such locks.
func (s *Server) ClearLock(backends, remote string) (cleared, faults []string) {
	return s.eachLocker(backends, func(l Locker) ([]string, []error) { return l.ClearLock(remote) })
}

func (s *Server) eachLocker(backends string, do func(Locker) ([]string, []error)) (done, faults []string) {
	for _, name := range s.Backends(backends) {
		l, ok := s.backend(name).(Locker)
		if !ok {
			continue
		}
		good, bad := do(l)
		done = append(done, good...)
		for _, err := range bad {
			faults = append(faults, err.Error())
		}
	}
	return done, faults
}
