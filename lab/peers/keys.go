package peers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func (n *Node) keyPath(folder, id string) string { return filepath.Join(n.Dir, "pki", folder, id) }

// Pending reports whether the key of id waits to be accepted at this master.
func (n *Node) Pending(id string) bool {
	_, err := os.Stat(n.keyPath("minions_pre", id))
	return err == nil
}

// Accept waits for the keys and accepts them as salt-key does: by moving the file.
func (n *Node) Accept(ctx context.Context, ids ...string) error {
	for _, id := range ids {
		if err := await(ctx, 3*time.Minute, "key of "+id+" at "+n.ID, func() bool { return n.Pending(id) }); err != nil {
			return err
		}
		if err := os.Rename(n.keyPath("minions_pre", id), n.keyPath("minions", id)); err != nil {
			return fmt.Errorf("accept the key of %s at %s: %w", id, n.ID, err)
		}
	}
	return nil
}

// Joined waits for the start events of minions or syndics at this master.
func (n *Node) Joined(ctx context.Context, since int, kind string, ids ...string) error {
	for _, id := range ids {
		if _, err := n.Events.Await(ctx, 3*time.Minute, since, "salt/"+kind+"/"+id+"/start"); err != nil {
			return fmt.Errorf("at %s: %w", n.ID, err)
		}
	}
	return nil
}
