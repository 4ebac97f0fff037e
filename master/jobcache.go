package master

import (
	"context"

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
	return m.opener(name)
}

func (m *Master) opener(name string) func(context.Context) (returners.Returner, error) {
	return func(ctx context.Context) (returners.Returner, error) {
		return returners.OpenStore(ctx, name, returners.Options{Values: m.cfg.Raw, Log: m.log, Now: m.now})
	}
}

// eventOpener returns the opener of the database in event_return, or nil.
func (m *Master) eventOpener() func(context.Context) (returners.Returner, error) {
	if len(m.cfg.EventReturn) == 0 {
		return nil
	}
	return m.opener(m.cfg.EventReturn[0])
}
