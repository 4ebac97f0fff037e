package minion

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// saveTimeout bounds one save of a return by a returner.
const saveTimeout = 30 * time.Second

// openReturners opens what the job or the configuration names (options ret and
// return). A job for a returner that is not there is refused before it runs:
// its results would go nowhere, and nobody would know.
func (m *Minion) openReturners(ctx context.Context, p wire.Publication) ([]returners.Saver, error) {
	names := strings.Split(p.Ret, ",")
	if v, ok := m.cfg.Get("return"); ok {
		names = append(names, listOf(v)...)
	}
	return m.openNamed(ctx, names, p.RetConfig)
}

func (m *Minion) openNamed(ctx context.Context, names []string, prefix string) ([]returners.Saver, error) {
	var open []returners.Saver
	seen := map[string]bool{"": true}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if seen[name] {
			continue
		}
		seen[name] = true
		r, err := returners.Open(ctx, name, returners.Options{Values: m.cfg.Raw, Prefix: prefix, Log: m.log, Now: m.now})
		if err != nil {
			closeAll(open)
			return nil, fmt.Errorf("open %w", err)
		}
		open = append(open, r)
	}
	return open, nil
}

func closeAll(open []returners.Saver) {
	for _, r := range open {
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

// saveReturn hands the return to the returners. The master has it already, so a
// failure is logged, not returned.
func (m *Minion) saveReturn(stores []returners.Saver, p wire.Publication, r result, full wire.Raw) {
	defer closeAll(stores)
	if len(stores) == 0 || full == nil {
		return
	}
	names, _ := functions(p.Fun)
	value, err := wire.Encode(r.value)
	if err != nil {
		m.log.Error("return not saved", "jid", p.JID, "error", err)
		return
	}
	ok, code := verdict(r)
	ret := returners.Return{
		JID: p.JID, ID: m.cfg.ID, Fun: strings.Join(names, ","), Success: ok, Retcode: code,
		Out: r.out, Value: value, Full: full, MasterID: p.MasterID, At: m.now(),
	}
	for _, s := range stores {
		// The job may have been ended, its return is saved all the same.
		ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
		err := s.SaveReturns(ctx, []returners.Return{ret})
		cancel()
		if err != nil {
			m.log.Error("return not saved", "jid", p.JID, "returner", s.Name(), "error", errors.Join(err))
		}
	}
}

// verdict is success and retcode of a whole job: of several functions, the
// worst.
func verdict(r result) (success bool, retcode int) {
	switch codes := r.retcode.(type) {
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
