package master

import (
	"context"
	"slices"

	"github.com/momtree/mom/returners"
)

// cacheName is the job cache that the configuration names beside the embedded
// one; "": none.
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

// remoteOpener gives the opener of that database.
func (m *Master) remoteOpener() func(context.Context) (returners.Returner, error) {
	name := m.cacheName()
	if name == "" {
		return nil
	}
	return m.opener(name)
}

func (m *Master) opener(name string) func(context.Context) (returners.Returner, error) {
	return func(ctx context.Context) (returners.Returner, error) {
		return returners.OpenStore(ctx, name, returners.Options{Values: m.cfg.Raw, Log: m.log, Now: m.now})
	}
}

// eventOpener gives the opener of the database that event_return names.
func (m *Master) eventOpener() func(context.Context) (returners.Returner, error) {
	if len(m.cfg.EventReturn) == 0 {
		return nil
	}
	return m.opener(m.cfg.EventReturn[0])
}

// busy lists the jobs that are not cleaned up however old they are: those that are
// open, in this life or a former one, those that are queued, those whose batch goes on, and
// those of which a master above has not heard the end.
func (m *Master) busy() []string {
	jids := append(m.jobs.Marked(), m.jobs.Active()...)
	for _, r := range m.publications.Records() {
		jids = append(jids, r.JID)
	}
	if m.batches != nil { // else the master is being opened
		jids = append(jids, m.batches.Active()...)
	}
	slices.Sort(jids)
	return slices.Compact(jids)
}
