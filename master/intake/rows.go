package intake

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// RowOf returns the row of a return received at a time.
func RowOf(ret wire.Return, at time.Time) returners.Return {
	return returners.Return{
		JID: ret.JID, ID: ret.ID, Fun: ret.FunName(), Success: succeeded(ret), Retcode: ret.Retcode,
		Out: ret.Out, Value: ret.Value, Full: ret.Full, MasterID: ret.MasterID, At: at,
	}
}

// succeeded returns the success field of a return, by default whether the retcode is 0.
func succeeded(ret wire.Return) bool {
	if ret.HasSuccess {
		return ret.Success
	}
	return ret.Retcode == 0
}

// RowBelow builds the return of one minion from a node's `_syndic_return`, with the fields and
// order of Salt's event. It returns an error if the fields nest deeper than depth.
func RowBelow(j wire.SyndicJob, mr wire.MinionReturn, depth int) (wire.Return, error) {
	if mr.Err != nil {
		return wire.Return{}, mr.Err
	}
	full := wire.NewMap("jid", j.JID, "id", mr.ID)
	err := wire.Fields(mr.Value, func(key string, val wire.Raw) error {
		if key != "jid" && key != "id" {
			full.Set(key, val)
		}
		return nil
	})
	if err != nil {
		return wire.Return{}, err
	}
	if j.MasterID != "" {
		full.Set("master_id", j.MasterID)
	}
	if _, has := full.Get("fun"); !has && len(j.Fun) > 0 && !wire.IsNil(j.Fun) {
		full.Set("fun", j.Fun)
	}
	if j.Out != "" {
		full.Set("out", j.Out)
	}
	raw, err := wire.Encode(full)
	if err != nil {
		return wire.Return{}, err
	}
	//mutant:simulated-depth,value-depth-of-every-master
	if err := wire.FitFields(raw, depth); err != nil {
		return wire.Return{}, err
	}
	ret, err := wire.ParseReturn(raw)
	ret.Full = raw
	return ret, err
}

// ErrorInPlace returns the error stored in place of a permanently rejected return.
func ErrorInPlace(ret wire.Return, by string, why error) (wire.Return, error) {
	full, err := wire.Encode(wire.ErrorReturn(ret, wire.NotTaken(ret.ID, by, why)))
	if err != nil {
		return wire.Return{}, fmt.Errorf("return of job %s of %s: %w", ret.JID, ret.ID, err)
	}
	return wire.ParseReturn(full)
}

// RowOutline returns the readable fields of an invalid return.
func RowOutline(id string, load wire.Raw) wire.Return {
	ret := wire.Return{ID: id}
	// The caller has reported the error.
	_ = wire.Fields(load, func(field string, val wire.Raw) error {
		switch field {
		case "jid":
			ret.JID, _ = wire.Str(val)
		case "fun":
			ret.Fun = val
		case "user":
			ret.User, _ = wire.Str(val)
		case "master_id":
			ret.MasterID, _ = wire.Str(val)
		}
		return nil
	})
	return ret
}
