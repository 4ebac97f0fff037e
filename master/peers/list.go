package peers

import (
	"fmt"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// listFile keeps who has announced presence before, so that after a restart
// of the master a minion that is gone is not taken for a silent Python one.
const listFile = "presence.p"

func load(cachedir string) ([]presence.Peer, error) {
	path := filepath.Join(cachedir, listFile)
	v, err := wire.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, ok := v.([]any)
	if !ok && v != nil {
		return nil, wire.SpoiltFile(path, fmt.Errorf("%w: want a list, have %T", wire.ErrType, v))
	}
	var out []presence.Peer
	for _, row := range rows {
		if f := wire.Texts(asList(row)); len(f) == 3 {
			out = append(out, presence.Peer{ID: f[0], Role: f[1], Version: f[2]})
		}
	}
	return out, nil
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}

func (s *Service) save() error {
	if !s.TakeChanged() {
		return nil
	}
	rows := []any{}
	for _, p := range s.Peers() {
		if p.Stock { // it is asked again
			continue
		}
		rows = append(rows, []any{p.ID, p.Role, p.Version})
	}
	b, err := wire.EncodeBus(rows)
	if err != nil {
		return fmt.Errorf("encode known peers: %w", err)
	}
	if err := crypt.WriteFileLazy(filepath.Join(s.o.Config.Cachedir, listFile), b, 0o600); err != nil {
		s.PutChanged()
		return err
	}
	return nil
}
