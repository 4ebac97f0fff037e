package cluster

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// jobRecord is what one top has of a job, or a part of it.
type jobRecord struct {
	load         returners.Load
	loaded       bool // load is set
	expectations []returners.Expectation
	account      engine.Account // if open
	open         bool
	returns      []returners.Return // in the order of minion ids
	// more means that returns after the last one follow in the next part.
	more bool
}

// whole reports whether a top has the account of a job: it published the job or another top passed it.
func whole(loaded bool, xs []returners.Expectation) bool {
	for _, x := range xs {
		if x.Node == "" && x.State != returners.StateAdopted {
			return loaded
		}
	}
	return false
}

func (r jobRecord) known() bool {
	return r.loaded || r.open || len(r.expectations) > 0 || len(r.returns) > 0
}

func (r jobRecord) encode() (*wire.Map, error) {
	m := wire.NewMap("more", r.more)
	if r.loaded {
		m.Set("load", encodeLoad(r.load))
	}
	xs, rets := []any{}, []any{}
	for _, x := range r.expectations {
		b, err := returners.EncodeExpectation(x)
		if err != nil {
			return nil, err
		}
		xs = append(xs, wire.Raw(b))
	}
	for _, ret := range r.returns {
		rets = append(rets, encodeReturn(ret))
	}
	m.Set("expectations", xs)
	m.Set("returns", rets)
	if r.open {
		waiting, missing := wire.NewMap(), wire.NewMap()
		for id, path := range r.account.Waiting {
			waiting.Set(id, path)
		}
		for id, a := range r.account.Missing {
			missing.Set(id, []any{a.Reason, a.Path})
		}
		m.Set("open", wire.NewMap("waiting", waiting, "missing", missing))
	}
	return m, nil
}

// readJob decodes what encode returned, for a job.
func readJob(jid string, raw wire.Raw) (r jobRecord, err error) {
	err = wire.Fields(raw, func(key string, val wire.Raw) (err error) {
		switch key {
		case "load":
			r.load, err = readLoad(val)
			if err == nil && r.load.JID != jid {
				err = fmt.Errorf("load of job %q: %w", r.load.JID, wire.ErrType)
			}
			r.loaded = err == nil
		case "expectations":
			err = wire.Elems(val, func(_ int, e wire.Raw) error {
				x, err := returners.DecodeExpectation(e)
				if err == nil && x.JID != jid {
					err = fmt.Errorf("expectation of job %q: %w", x.JID, wire.ErrType)
				}
				r.expectations = append(r.expectations, x)
				return err
			})
		case "returns":
			err = wire.Elems(val, func(_ int, e wire.Raw) error {
				ret, err := readReturn(jid, e)
				if n := len(r.returns); err == nil && n > 0 && ret.ID <= r.returns[n-1].ID {
					err = fmt.Errorf("return of %q after that of %q: %w", ret.ID, r.returns[n-1].ID, wire.ErrType)
				}
				r.returns = append(r.returns, ret)
				return err
			})
		case "open":
			r.account, err = readAccount(jid, val)
			r.open = err == nil
		case "more":
			r.more = wire.Truth(val)
		}
		return err
	})
	if err != nil {
		return jobRecord{}, fmt.Errorf("job %s of another top: %w", jid, err)
	}
	return r, nil
}

func readAccount(jid string, raw wire.Raw) (engine.Account, error) {
	a := engine.Account{JID: jid, Waiting: map[string]string{}, Missing: map[string]jobevent.Absence{}}
	err := wire.Fields(raw, func(key string, val wire.Raw) error {
		switch key {
		case "waiting":
			return wire.Fields(val, func(id string, path wire.Raw) (err error) {
				a.Waiting[id], err = wire.Str(path)
				return err
			})
		case "missing":
			return wire.Fields(val, func(id string, v wire.Raw) error {
				f, err := wire.Strings(v)
				if err != nil || len(f) != 2 {
					return fmt.Errorf("missing minion %q: %w", id, wire.ErrType)
				}
				a.Missing[id] = jobevent.Absence{Reason: f[0], Path: f[1]}
				return nil
			})
		}
		return nil
	})
	return a, err
}

func encodeLoad(l returners.Load) []any { return []any{l.JID, l.Raw, l.User, l.At.UnixMicro()} }

func readLoad(raw wire.Raw) (l returners.Load, err error) {
	n := 0
	err = wire.Elems(raw, func(i int, v wire.Raw) (err error) {
		n++
		switch i {
		case 0:
			l.JID, err = wire.Str(v)
		case 1:
			l.Raw = v
		case 2:
			l.User, err = wire.Str(v)
		case 3:
			l.At, err = readTime(v)
		}
		return err
	})
	if err == nil && (n < 4 || l.JID == "" || !wire.IsMap(l.Raw)) {
		err = fmt.Errorf("load of job %q: %w", l.JID, wire.ErrType)
	}
	return l, err
}

// encodeReturn encodes a return without its value, which is in the full return.
func encodeReturn(r returners.Return) []any {
	full := any(r.Full)
	if len(r.Full) == 0 {
		full = nil // its result is not kept
	}
	return []any{r.ID, r.Fun, r.Success, r.Retcode, r.Out, r.MasterID, r.Via, r.At.UnixMicro(), full}
}

func readReturn(jid string, raw wire.Raw) (r returners.Return, err error) {
	r.JID = jid
	n := 0
	err = wire.Elems(raw, func(i int, v wire.Raw) (err error) {
		n++
		switch i {
		case 0:
			r.ID, err = wire.Str(v)
		case 1:
			r.Fun, err = wire.Str(v)
		case 2:
			r.Success = wire.Truth(v)
		case 3:
			var code int64
			code, err = wire.Int(v)
			r.Retcode = int(code)
		case 4:
			r.Out, err = wire.Str(v)
		case 5:
			r.MasterID, err = wire.Str(v)
		case 6:
			r.Via, err = wire.Str(v)
		case 7:
			r.At, err = readTime(v)
		case 8:
			if wire.IsNil(v) {
				return nil
			}
			var ret wire.Return
			ret, err = wire.ParseReturn(v)
			r.Full, r.Value = v, ret.Value
		}
		return err
	})
	if err == nil && (n < 9 || r.ID == "") {
		err = fmt.Errorf("return of %q: %w", r.ID, wire.ErrType)
	}
	return r, err
}

func readTime(v wire.Raw) (time.Time, error) {
	us, err := wire.Int(v)
	return time.UnixMicro(us).UTC(), err
}
