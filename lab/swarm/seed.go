package swarm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
)

// Seed lays the public keys of minions down as accepted ones in a master's pki_dir,
// as `salt-key -a` would have. It returns how many were not there before. A key of
// the same id that differs is an error, and is left as it is.
func Seed(pkiDir string, ids IDs, keys *Keys) (added int, err error) {
	dir := filepath.Join(pkiDir, "minions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("lay down accepted keys: %w", err)
	}
	for i := range ids.Count {
		key, err := keys.Key(ids.First + i)
		if err != nil {
			return added, err
		}
		path := filepath.Join(dir, ids.ID(i))
		have, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return added, fmt.Errorf("lay down accepted keys: %w", err)
		case crypt.CleanPEM(string(have)) == crypt.CleanPEM(key.Public):
			continue
		default:
			return added, fmt.Errorf("lay down accepted keys: %s holds another key: delete it (salt-key -d %s), or give the swarm other ids", path, ids.ID(i))
		}
		if err := os.WriteFile(path, []byte(key.Public), 0o644); err != nil {
			return added, fmt.Errorf("lay down accepted keys: %w", err)
		}
		added++
	}
	return added, nil
}
