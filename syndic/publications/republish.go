package publications

import (
	"fmt"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Republish returns the local job for a publication. Unlike Salt's syndic it keeps metadata, the
// delimiter and the settings of returners, which minions below need too, and does not subtract a
// second from the timeout.
func Republish(p wire.Publication) (wire.PublishLoad, error) {
	//mutant:target-list-below
	p, _, _, err := jobfields.Requested(p) // a list of the parent's minions names none of ours
	if err != nil {
		return wire.PublishLoad{}, err
	}
	j := wire.PublishLoad{Tgt: p.Tgt, TgtType: p.TgtType, Ret: p.Ret, JID: p.JID}
	if j.Fun, err = functions(p.Fun); err != nil {
		return j, fmt.Errorf("fun: %w", err)
	}
	switch {
	case wire.IsList(p.Arg):
		j.Arg = p.Arg
	case !wire.IsNil(p.Arg):
		return j, fmt.Errorf("arg: %w: not a list", wire.ErrType)
	}
	if p.HasTo && p.To > 0 {
		j.To, j.HasTo = p.To, true
		if j.Timeout, err = wire.Encode(p.To); err != nil {
			return j, fmt.Errorf("timeout: %w", err)
		}
	}
	kwargs := wire.NewMap()
	//mutant:cve2022-22941-auth-list
	for _, f := range []struct {
		name string
		raw  wire.Raw
	}{{"auth_list", p.AuthList}, {"metadata", p.Metadata}, {"ret_kwargs", p.RetKwargs}, {"module_executors", p.ModuleExecutors}, {"executor_opts", p.ExecutorOpts}} {
		if len(f.raw) > 0 && !wire.IsNil(f.raw) {
			kwargs.Set(f.name, f.raw)
		}
	}
	for _, f := range [][2]string{{"master_id", p.MasterID}, {"user", p.User}, {"ret_config", p.RetConfig}, {"delimiter", p.Delimiter}, {"id", p.ID}} {
		if f[1] != "" {
			kwargs.Set(f[0], f[1])
		}
	}
	if p.StartEvent {
		kwargs.Set("start_event", true)
	}
	if p.Extra != nil {
		for _, field := range []string{"queue_until", returners.PartField, jobfields.SignatureField} { // the last as signed by the top
			if v, ok := p.Extra.Get(field); ok {
				kwargs.Set(field, v)
			}
		}
	}
	if c := tracing.Of(p.Extra); c.Parent != "" {
		j.Extra = wire.NewMap()
		c.Put(j.Extra)
	}
	if j.Kwargs, err = wire.Encode(kwargs); err != nil {
		return j, fmt.Errorf("kwargs: %w", err)
	}
	return j, nil
}

// functions re-encodes one function name or a list of them.
func functions(fun wire.Raw) (wire.Raw, error) {
	switch wire.KindOf(fun) {
	case wire.Text, wire.Bin:
		name, err := wire.Str(fun)
		if err != nil {
			return nil, err
		}
		return wire.Encode(name)
	case wire.List:
		names, err := wire.Strings(fun)
		if err != nil {
			return nil, err
		}
		return wire.Encode(names)
	}
	return nil, fmt.Errorf("%w: neither a text nor a list of texts", wire.ErrType)
}
