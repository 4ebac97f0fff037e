package tree

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
)

// watchTree keeps the tree on the screen until q.
func (f *flags) watchTree(cmd *cobra.Command, cl *client.Client) error {
	fetch := func() Snapshot {
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		n, err := cl.Tree(ctx)
		if err != nil {
			return Snapshot{Err: err}
		}
		return Snapshot{Root: n, Problems: topology.Problems(n), At: time.Now()}
	}
	return Show(cmd, NewTree(fetch, nil), cl, "topology/", "salt/presence/")
}
