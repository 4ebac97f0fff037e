package master

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/master/jobstore"
	"github.com/momtree/mom/returners"
)

// cacheName returns the configured external job cache, or "".
func (m *Master) cacheName() string {
	name := m.cfg.MasterJobCache
	if m.cfg.ExtJobCache != "" {
		name = m.cfg.ExtJobCache
	}
	if name == "local_cache" {
		return ""
	}
	return name
}

// remoteOpener returns the opener of the external job cache, or nil.
func (m *Master) remoteOpener() func(context.Context) (returners.Returner, error) {
	name := m.cacheName()
	if name == "" {
		return nil
	}
	return func(ctx context.Context) (returners.Returner, error) {
		return returners.OpenStore(ctx, name, m.returnerOptions())
	}
}

// eventStores returns the returners of event_return.
func (m *Master) eventStores() (out []jobstore.EventStore) {
	for _, name := range m.cfg.EventReturn {
		if slices.ContainsFunc(out, func(e jobstore.EventStore) bool { return e.Name == name }) {
			continue
		}
		out = append(out, jobstore.EventStore{Name: name, Open: func(ctx context.Context) (returners.EventSaver, error) {
			return returners.OpenEvents(ctx, name, m.returnerOptions())
		}})
	}
	return out
}

// checkReturners returns what is wrong with the options of the job cache and of event_return.
func (m *Master) checkReturners() error {
	var faults []error
	if name := m.cacheName(); name != "" {
		faults = append(faults, returners.Check(name, true, m.returnerOptions()))
	}
	for _, name := range m.cfg.EventReturn {
		if err := returners.Check(name, false, m.returnerOptions()); err != nil {
			faults = append(faults, fmt.Errorf("event_return: %w", err))
		}
	}
	return errors.Join(faults...)
}

func (m *Master) returnerOptions() returners.Options {
	return returners.Options{Values: m.cfg.Raw, Log: m.log, Now: m.now}
}
