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

// Run has the backends look for changes of their sources until ctx ends, each at its
// interval and first at once.
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
				if d, ok := u.(DueUpdater); ok { // one source that is slow keeps none waiting
					wg.Go(func() { _ = s.update(ctx, b.name, d.UpdateDue) }) // it has been logged
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

// Update has the named backends ("": all) look for changes now. remotes narrows it to
// sources whose names contain one of these.
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

// ClearCache has the named backends ("": all) forget the copies that they keep, and tells in
// Salt's words which did, and what went wrong.
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

// Lock keeps the sources of the named backends ("": all) whose addresses match a pattern
// ("": all) as they are, and tells in Salt's words which, and what went wrong.
func (s *Server) Lock(backends, remote string) (locked, faults []string) {
	return s.eachLocker(backends, func(l Locker) ([]string, []error) { return l.Lock(remote) })
}

// ClearLock lets them be updated again.
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
