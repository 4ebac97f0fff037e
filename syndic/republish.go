package syndic

import (
	"fmt"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jobsig"
	"github.com/momtree/mom/internal/wire"
)

// republish builds the local job. Unlike Salt's syndic it keeps metadata, the
// delimiter and the settings of returners, which the minions below need as well,
// and the time-out, of which Salt's syndic takes a second away at each tier.
func republish(p wire.Publication) (client.Job, error) {
	j := client.Job{TgtType: p.TgtType, Ret: p.Ret, JID: p.JID, Extra: map[string]any{}}
	var err error
	if j.Tgt, err = wire.Decode(p.Tgt); err != nil {
		return j, fmt.Errorf("target: %w", err)
	}
	if j.Fun, err = functions(p.Fun); err != nil {
		return j, err
	}
	arg, err := wire.Decode(p.Arg)
	if err != nil {
		return j, fmt.Errorf("arg: %w", err)
	}
	list, ok := arg.([]any)
	if !ok && arg != nil {
		return j, fmt.Errorf("arg: %w: it is no list", wire.ErrType)
	}
	j.Args = list
	if p.HasTo && p.To > 0 {
		j.Timeout = time.Duration(p.To) * time.Second
	}
	for _, f := range []struct {
		name string
		raw  wire.Raw
	}{{"auth_list", p.AuthList}, {"metadata", p.Metadata}, {"ret_kwargs", p.RetKwargs}, {"module_executors", p.ModuleExecutors}, {"executor_opts", p.ExecutorOpts}} {
		if len(f.raw) > 0 && !wire.IsNil(f.raw) {
			j.Extra[f.name] = f.raw
		}
	}
	for _, f := range [][2]string{{"master_id", p.MasterID}, {"user", p.User}, {"ret_config", p.RetConfig}, {"delimiter", p.Delimiter}, {"id", p.ID}} {
		if f[1] != "" {
			j.Extra[f[0]] = f[1]
		}
	}
	if p.Extra != nil {
		if until, ok := p.Extra.Get("queue_until"); ok {
			j.Extra["queue_until"] = until
		}
	}
	if p.Extra != nil {
		if order, ok := p.Extra.Get(jobsig.Field); ok {
			j.Extra[jobsig.Field] = order // as the top has signed it
		}
	}
	return j, nil
}

// functions reads one function name, or several.
func functions(fun wire.Raw) ([]string, error) {
	switch wire.KindOf(fun) {
	case wire.Text, wire.Bin:
		name, err := wire.Str(fun)
		return []string{name}, err
	case wire.List:
		names, err := wire.Strings(fun)
		if err != nil {
			return nil, fmt.Errorf("fun: %w", err)
		}
		return names, nil
	}
	return nil, fmt.Errorf("fun: %w: it is neither text nor a list of texts", wire.ErrType)
}
