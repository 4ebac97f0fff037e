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

// saveTimeout bounds one save by a returner.
const saveTimeout = 30 * time.Second

// Returners opens the returners named by the jobs of a minion.
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

// OpenFor opens the returners that the job or the configuration names (options ret and return).
// If one does not exist, it returns an error and the job does not run: otherwise its results
// would be lost unnoticed.
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

// retKwargs returns the settings for returners in a job (--return_kwargs).
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

// With returns Returners in which the settings of a job replace the options of the returners
// names; prefix is the prefix of their options.
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

// Open opens returners by name; prefix is the prefix of their options.
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

// None reports whether the job has no returners.
func (o Opened) None() bool { return len(o.all) == 0 }

// Close closes the returners.
func (o Opened) Close() {
	for _, r := range o.all {
		_ = r.Close()
	}
}

// listOf reads an option that is a comma-separated string or a list of names.
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

// Save passes the return to the returners and closes them. The error names those that did not
// save it.
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
	// The job may have been terminated; its return is still saved.
	return o.SaveReturn(context.Background(), ret)
}

// SaveReturn passes a return to each returner. The error names those that did not save it.
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

// verdict returns success and retcode of a whole job: the worst of its functions.
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
