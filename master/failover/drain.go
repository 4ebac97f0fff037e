package failover

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
)

// drainFile in cachedir says that the node wants to lose its minions.
const drainFile = "draining"

// Draining tells whether the node with this cachedir wants to lose its minions.
func Draining(cachedir string) bool {
	_, err := os.Stat(filepath.Join(cachedir, drainFile))
	return err == nil
}

// Drain sets or takes back that mark. It survives a restart.
func Drain(cachedir string, on bool) error {
	path := filepath.Join(cachedir, drainFile)
	if on {
		if err := crypt.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("mark the node as draining: %w", err)
		}
	} else if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("take back that the node is draining: %w", err)
	}
	return nil
}
