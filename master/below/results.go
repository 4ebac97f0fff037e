package below

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

const (
	// bodiesBytes bounds the results in one answer; the rest is requested again.
	bodiesBytes = 8 << 20
	// bodiesWait bounds the wait for a page of the nodes below.
	bodiesWait = 10 * time.Second
)

// Whole is a job cache that replaces digests by results, from SQL or from the nodes that have
// them.
type Whole struct {
	returners.Reader
	Below *Service
	SQL   returners.Reader // nil: embedded store only
}

// GetReturns returns all returns of a job. A result that cannot be fetched is replaced by a text
// that says where it is.
func (w Whole) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	rets, err := w.Reader.GetReturns(ctx, jid)
	if err != nil {
		return nil, err
	}
	return rets, w.Below.fillIn(ctx, jid, rets, w.SQL)
}

// GetReturn returns the return of one minion.
func (w Whole) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	r, ok, err := w.Reader.GetReturn(ctx, jid, id)
	if !ok || err != nil {
		return r, ok, err
	}
	one := []returners.Return{r}
	err = w.Below.fillIn(ctx, jid, one, w.SQL)
	return one[0], err == nil, err
}

// fillIn replaces digests by results.
func (s *Service) fillIn(ctx context.Context, jid string, rets []returners.Return, sql returners.Reader) error {
	at := map[string]int{} // minion → index in rets
	for i, r := range rets {
		if _, digest := wire.Digest(r.Full); digest {
			at[r.ID] = i
		}
	}
	if len(at) == 0 {
		return nil
	}
	if sql != nil {
		have, err := returnsOf(ctx, sql, jid, rets)
		if err != nil {
			s.o.Log.Warn("job cache unreadable, fetching results from child nodes", "jid", jid, "err", err)
		}
		for _, r := range have {
			if i, ok := at[r.ID]; ok {
				rets[i].Value, rets[i].Full = r.Value, r.Full
				delete(at, r.ID)
			}
		}
	}
	byNode := map[string][]string{}
	for id, i := range at {
		byNode[rets[i].Via] = append(byNode[rets[i].Via], id)
	}
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		ids := byNode[node]
		slices.Sort(ids)
		got, why := s.fetchBodies(ctx, node, jid, ids)
		for _, id := range ids {
			r := &rets[at[id]]
			full, ok := got[id]
			if !ok {
				text, err := wire.Encode(fmt.Sprintf("[the result is kept at node %s and could not be fetched: %v]", node, why))
				if err != nil {
					return fmt.Errorf("result of %s: %w", id, err)
				}
				r.Value = text
				continue
			}
			ret, err := wire.ParseReturn(full)
			if err != nil {
				return fmt.Errorf("result of %s, from node %s: %w", id, node, err)
			}
			r.Value, r.Full = ret.Value, full
		}
	}
	return nil
}

// returnsOf returns one return of a job, or all.
func returnsOf(ctx context.Context, r returners.Reader, jid string, want []returners.Return) ([]returners.Return, error) {
	if len(want) != 1 {
		return r.GetReturns(ctx, jid)
	}
	ret, ok, err := r.GetReturn(ctx, jid, want[0].ID)
	if !ok || err != nil {
		return nil, err
	}
	return []returners.Return{ret}, nil
}

// errNotThere means that a node no longer has a result.
var errNotThere = errors.New("it is not there any more")

// fetchBodies requests whole returns from a node directly below, in pages. Results that could not
// be fetched have no entry; why holds the reasons.
func (s *Service) fetchBodies(ctx context.Context, node, jid string, ids []string) (got map[string]wire.Raw, why error) {
	got, why = map[string]wire.Raw{}, errNotThere
	for len(ids) > 0 {
		page, cancel := context.WithTimeout(ctx, bodiesWait)
		said, err := s.Ask(page, []string{node}, askBodies, wire.NewMap("jid", jid, "ids", ids))
		cancel()
		if err == nil {
			err = said[node].Err
		}
		if err != nil {
			return got, err
		}
		more, err := readBodies(said[node].Value, got)
		if err != nil {
			return got, fmt.Errorf("answer of node %s: %w", node, err)
		}
		left := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return got[id] != nil })
		if !more || len(left) == len(ids) {
			return got, why
		}
		ids = left
	}
	return got, why
}

func readBodies(raw wire.Raw, into map[string]wire.Raw) (more bool, err error) {
	err = wire.Fields(raw, func(key string, val wire.Raw) (err error) {
		switch key {
		case "more":
			more = wire.Truth(val)
		case "returns":
			err = wire.Fields(val, func(id string, full wire.Raw) error {
				into[id] = full
				return nil
			})
		}
		return err
	})
	return more, err
}

// answerBodies returns whole returns of a job, of this node and those below. What does not fit is
// left for the next request.
func (s *Service) answerBodies(ctx context.Context, arg wire.Raw) (any, error) {
	d, err := wire.DecodeMap(arg)
	if err != nil {
		return nil, fmt.Errorf("question for results: %w", err)
	}
	jid, want := d.String("jid"), wire.Texts(d.List("ids"))
	rets, err := s.o.Store.Local().GetReturns(ctx, jid)
	if err != nil {
		return nil, err
	}
	slices.Sort(want)
	rets = slices.DeleteFunc(rets, func(r returners.Return) bool {
		_, asked := slices.BinarySearch(want, r.ID)
		return !asked
	})
	out, size, more := wire.NewMap(), 0, false
	var below []returners.Return
	add := func(r returners.Return) {
		if size > 0 && size+len(r.Full) > bodiesBytes {
			more = true
			return
		}
		size += len(r.Full)
		out.Set(r.ID, r.Full)
	}
	for _, r := range rets {
		switch _, digest := wire.Digest(r.Full); {
		case digest:
			below = append(below, r)
		case len(r.Full) > 0:
			add(r)
		}
	}
	if !more && len(below) > 0 {
		if err := s.fillIn(ctx, jid, below, nil); err != nil {
			return nil, err
		}
		for _, r := range below {
			if _, digest := wire.Digest(r.Full); !digest {
				add(r)
			}
		}
	}
	return wire.NewMap("returns", out, "more", more), nil
}
