package tree

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/screen"
	"github.com/momtree/mom/topology"
)

// watchTree keeps the tree on the screen until q.
func (f *flags) watchTree(cmd *cobra.Command, conf *config.Master) (err error) {
	o := client.FromMaster(conf)
	cl := client.New(o)
	defer func() { err = errors.Join(err, cl.Close()) }()
	fetch := func() screen.Snapshot {
		ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
		defer cancel()
		n, err := topology.Ask(ctx, cl)
		if err != nil {
			return screen.Snapshot{Err: err}
		}
		return screen.Snapshot{Root: n, Problems: topology.Problems(n), At: time.Now()}
	}
	return screen.Show(cmd, screen.NewTree(fetch, nil), o.Bus, func(tag string) bool {
		return strings.HasPrefix(tag, "topology/") || strings.HasPrefix(tag, "salt/presence/")
	})
}
