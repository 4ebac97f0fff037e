package salt

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
)

// survey is what minions answered to a question asked before the job itself.
type survey struct {
	returned map[string]client.Return
	account  *client.Account
}

// ask puts a question to all minions that the target means.
func (r *call) ask(ctx context.Context, fun string, args ...any) (s survey, err error) {
	q := client.Job{Tgt: r.job.Tgt, TgtType: r.job.TgtType, Fun: []string{fun}, Arg: args, Timeout: r.job.Timeout, Kwargs: wire.NewMap()}
	if d, ok := r.job.Kwargs.Get("delimiter"); ok {
		q.Kwargs.Set("delimiter", d)
	}
	s.returned = map[string]client.Return{}
	f, err := r.client.Follow(ctx, q)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		u, err := f.Next(ctx)
		switch {
		case err != nil:
			return s, err
		case u.Return != nil:
			s.returned[u.Return.ID] = *u.Return
		case u.Complete != nil:
			s.account = u.Complete
			return s, nil
		}
	}
}

// choose makes the target a random few of those it means that know all
// functions of the job (--subset).
func (r *call) choose(ctx context.Context, n int) error {
	var modules []any
	for _, fun := range r.job.Fun {
		module, _, _ := strings.Cut(fun, ".")
		if !slices.Contains(modules, any(module)) {
			modules = append(modules, module)
		}
	}
	s, err := r.ask(ctx, "sys.list_functions", modules...)
	if err != nil {
		return err
	}
	var able []string
	for _, id := range slices.Sorted(maps.Keys(s.returned)) {
		v, err := wire.Decode(s.returned[id].Value)
		if err != nil {
			return err
		}
		known, _ := v.([]any)
		if !slices.ContainsFunc(r.job.Fun, func(fun string) bool { return !slices.Contains(known, any(fun)) }) {
			able = append(able, id)
		}
	}
	rand.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	able = able[:min(n, len(able))]
	slices.Sort(able)
	r.job.Tgt, r.job.TgtType, r.exact = able, "list", able
	r.job.Kwargs.Delete("delimiter")
	if len(able) == 0 {
		return client.ErrNoMatch
	}
	return nil
}
