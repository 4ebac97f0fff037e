package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/salt/pyfmt"
)

// saveTimeout bounds one save of a return by a returner.
const saveTimeout = 30 * time.Second

// Returners opens the returners that jobs of a minion name.
type Returners struct {
	Options *config.Minion
	Log     *slog.Logger
	Now     func() time.Time
}

// Opened are the returners of one job.
type Opened struct {
	all []returners.Saver
	of  Returners
}

// OpenFor opens what the job or the configuration names (options ret and
// return). A job for a returner that is not there is refused before it runs:
// its results would go nowhere, and nobody would know.
func (r Returners) OpenFor(ctx context.Context, p wire.Publication) (Opened, error) {
	names := strings.Split(p.Ret, ",")
	if v, ok := r.Options.Get("return"); ok {
		names = append(names, listOf(v)...)
	}
	kwargs, err := retKwargs(p)
	if err != nil {
		return Opened{}, err
	}
	return r.With(names, p.RetConfig, kwargs).Open(ctx, names, p.RetConfig)
}

// retKwargs are the settings of returners that a job brings (--return_kwargs).
func retKwargs(p wire.Publication) (*wire.Map, error) {
	if len(p.RetKwargs) == 0 || wire.IsNil(p.RetKwargs) {
		return nil, nil
	}
	m, err := wire.DecodeMap(p.RetKwargs)
	if err != nil {
		return nil, fmt.Errorf("return_kwargs: %w", err)
	}
	return m, nil
}

// With gives Returners whose options are replaced by the settings that a job brings for these
// returners; prefix is that of their options.
func (r Returners) With(names []string, prefix string, kwargs *wire.Map) Returners {
	if kwargs.Len() == 0 {
		return r
	}
	own := *r.Options
	own.Raw = maps.Clone(own.Raw)
	if own.Raw == nil {
		own.Raw = map[string]any{}
	}
	if prefix != "" {
		prefix += "."
	}
	kwargs.Range(func(k, v any) bool {
		for _, name := range names {
			own.Raw[prefix+strings.TrimSpace(name)+"."+pyfmt.Str(k)] = v
		}
		return true
	})
	r.Options = &own
	return r
}

// Open opens returners by their names; prefix is that of their options.
func (r Returners) Open(ctx context.Context, names []string, prefix string) (Opened, error) {
	open := Opened{of: r}
	seen := map[string]bool{"": true}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if seen[name] {
			continue
		}
		seen[name] = true
		s, err := returners.Open(ctx, name, returners.Options{Values: r.Options.Raw, Prefix: prefix, Log: r.Log, Now: r.Now})
		if err != nil {
			open.Close()
			return Opened{}, fmt.Errorf("open %w", err)
		}
		open.all = append(open.all, s)
	}
	return open, nil
}

// None tells whether the job has no returners.
func (o Opened) None() bool { return len(o.all) == 0 }

// Close ends their use.
func (o Opened) Close() {
	for _, r := range o.all {
		_ = r.Close()
	}
}

// listOf reads an option that is a text of names or a list of them.
func listOf(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Split(v, ",")
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	default:
		return nil
	}
}

// Save hands the return to the returners and closes them. The error says which did not take it.
func (o Opened) Save(p wire.Publication, r Result, full wire.Raw) error {
	defer o.Close()
	if len(o.all) == 0 || full == nil {
		return nil
	}
	names, _ := Functions(p.Fun)
	value, err := wire.Encode(r.Value)
	if err != nil {
		return err
	}
	ok, code := verdict(r)
	ret := returners.Return{
		JID: p.JID, ID: o.of.Options.ID, Fun: strings.Join(names, ","), Success: ok, Retcode: code,
		Out: r.Out, Value: value, Full: full, MasterID: p.MasterID, At: o.of.Now(),
	}
	// The job may have been ended, its return is saved all the same.
	return o.SaveReturn(context.Background(), ret)
}

// SaveReturn gives a return to each of them and tells which did not take it.
func (o Opened) SaveReturn(ctx context.Context, ret returners.Return) error {
	var errs []error
	for _, s := range o.all {
		short, cancel := context.WithTimeout(ctx, saveTimeout)
		if err := s.SaveReturns(short, []returners.Return{ret}); err != nil {
			errs = append(errs, fmt.Errorf("returner %s: %w", s.Name(), err))
		}
		cancel()
	}
	return errors.Join(errs...)
}

// verdict is success and retcode of a whole job: of several functions, the
// worst.
func verdict(r Result) (success bool, retcode int) {
	switch codes := r.Retcode.(type) {
	case int:
		retcode = codes
	case *wire.Map:
		for _, name := range codes.Keys() {
			if v, ok := codes.Get(fmt.Sprint(name)); ok {
				if c, ok := v.(int); ok {
					retcode = max(retcode, c)
				}
			}
		}
	case []any:
		for _, v := range codes {
			if c, ok := v.(int); ok {
				retcode = max(retcode, c)
			}
		}
	}
	return retcode == 0, retcode
}
