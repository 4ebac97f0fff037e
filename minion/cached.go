package minion

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// cachePath is where cache_jobs keeps a return, as Salt's minion does.
func (m *Minion) cachePath(jid string) string {
	return filepath.Join(m.cfg.Cachedir, "minion_jobs", jid, "return.p")
}

// cacheReturn keeps a return on the minion (option cache_jobs).
func (m *Minion) cacheReturn(jid string, full wire.Raw) error {
	path := m.cachePath(jid)
	b, err := wire.ToBus(full)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), crypt.WriteFileLazy(path, b, 0o600))
}

// cachedReturn reads a kept return.
func (m *Minion) cachedReturn(jid string) (*wire.Map, bool) {
	if usableJID(jid) != nil {
		return nil, false
	}
	b, err := os.ReadFile(m.cachePath(jid))
	if err != nil {
		return nil, false
	}
	load, err := wire.DecodeMap(b)
	return load, err == nil
}
