package intake

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// resourceField names the resource that a minion of Salt 3008 returns for.
const resourceField = "resource_id"

// errNotManaged and its like say why a minion does not return for a resource.
var (
	errNotManaged = errors.New("it returns for a resource that it has not registered, that another minion has registered, or whose id has a key")
	errUnprovenID = errors.New("it returns for a resource without proof of who it is; protocol version 3 proves that")
)

// resourceOf gives the resource that a minion returns for, "" if it returns for itself. Salt
// believes every minion about every id.
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

// excludes reports whether a job was certainly not for a minion, nor for the resource of it
// that res is.
func (s *Service) excludes(jid, minion, res string) bool {
	return s.o.Policy.Excludes(jid, minion) && (res == "" || s.o.Policy.Excludes(jid, res))
}

// underResource is the return as one of the resource, in the form that Salt stores.
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

// isResource reports whether a node below has said of an id which is no minion of it that it
// answers a job: a resource does not match the glob that means its minion.
func (s *Service) isResource(jid, via, id string) bool {
	return s.o.Jobs.Counts(jid, id) && !s.o.Policy.Claims().Has(via, id) && !s.o.Keys.Accepted(id)
}
