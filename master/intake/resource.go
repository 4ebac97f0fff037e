package intake

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// resourceField holds the resource that a minion of Salt 3008 returns for.
const resourceField = "resource_id"

// Reasons why a minion may not return for a resource.
var (
	errNotManaged = errors.New("resource is not registered by the minion, or its id has a key")
	errUnprovenID = errors.New("return for a resource requires protocol version 3")
)

// resourceOf returns the resource that a minion returns for, or "" for itself. Salt accepts any id
// from any minion.
func (s *Service) resourceOf(r *server.Request, ret wire.Return) (string, error) {
	raw, err := wire.Field(r.Load, resourceField)
	if err != nil || raw == nil {
		return "", err
	}
	id, err := wire.Str(raw)
	if err != nil {
		return "", fmt.Errorf("%s: %w", resourceField, err)
	}
	switch {
	case r.Version < 3 && !r.Proven:
		return id, errUnprovenID
	//mutant:resource-owner
	case s.o.Resources.Manager(id) != ret.ID:
		return id, errNotManaged
	}
	return id, nil
}

// excludes reports whether a job certainly matched neither the minion nor its resource res.
func (s *Service) excludes(jid, minion, res string) bool {
	return s.o.Policy.Excludes(jid, minion) && (res == "" || s.o.Policy.Excludes(jid, res))
}

// underResource rewrites a return as one of the resource, in Salt's stored form.
func underResource(ret wire.Return, res string) (wire.Return, error) {
	v, err := wire.DecodeWithin(ret.Full, wire.Limits{MaxNodes: server.MaxValues})
	full, ok := v.(*wire.Map)
	if err == nil && !ok {
		err = server.ErrNotAMap
	}
	if err != nil {
		return ret, fmt.Errorf("return of %s for resource %s: %w", ret.ID, res, err)
	}
	full.Delete(resourceField)
	full.Set("id", res)
	if ret.Full, err = wire.Encode(full); err != nil {
		return ret, fmt.Errorf("return of %s for resource %s: %w", ret.ID, res, err)
	}
	ret.ID = res
	return ret, nil
}

// isResource reports whether id, which is no minion of the node via, is expected to answer a job
// through it. A resource need not match the glob that matches its minion.
func (s *Service) isResource(jid, via, id string) bool {
	return s.o.Jobs.Counts(jid, id) && !s.o.Policy.Claims().Has(via, id) && !s.o.Keys.Accepted(id)
}
