package node

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/command"
)

func admitCommand() *cobra.Command {
	var dir string
	var undo, top bool
	c := &cobra.Command{
		Use:   "admit [ID]...",
		Short: "Admit nodes below this master as homes for others' minions",
		Long: "Records beside the keys of these nodes that they may be homes for others: the nodes right\n" +
			"below this master learn of each other as siblings, a minion whose node is gone moves to\n" +
			"one of them, and each trusts what another reports of its own minions' keys. A node cannot\n" +
			"cause that by its own reports. It also lets a key that was a minion's act as a node. The\n" +
			"key has to exist, accepted or pending; another key under the same id is not admitted, and\n" +
			"a deleted key loses the admission. The master sees the change within a second.\n" +
			"Without ID the admitted nodes are listed; `syndic_ids` in the file master does the\n" +
			"same for ids and globs.\n" +
			"With --top the ids are those of the other tops of the cluster (cluster_peers): each may\n" +
			"start jobs here, so admit only tops that you run. Exit codes: 0 done, 1 some were not,\n" +
			"64 wrong option.",
		RunE: func(cmd *cobra.Command, ids []string) error {
			conf, _, err := config.LoadMaster(dir)
			if err != nil {
				return err
			}
			kind := admitted.Nodes
			if top {
				kind = admitted.Tops
			}
			if len(ids) == 0 {
				if undo {
					return command.Exit(command.ExitUsage, errors.New("--undo needs the nodes whose admission to withdraw"))
				}
				return listAdmitted(cmd, kind, conf.PkiDir)
			}
			var errs []error
			for _, id := range ids {
				errs = append(errs, admitOne(cmd, kind, conf.PkiDir, id, undo))
			}
			if err := errors.Join(errs...); err != nil {
				return command.Exit(command.ExitFailure, err)
			}
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", config.DefaultDir(), "directory with the file master")
	c.Flags().BoolVar(&undo, "undo", false, "withdraw the admission")
	c.Flags().BoolVar(&top, "top", false, "admit other tops of the cluster")
	return c
}

func admitOne(cmd *cobra.Command, kind admitted.Kind, pkiDir, id string, undo bool) error {
	var said string
	if undo {
		was, err := kind.Withdraw(pkiDir, id)
		if err != nil {
			return err
		}
		if said = fmt.Sprintf("%s is not admitted any more.\n", id); !was {
			said = fmt.Sprintf("%s was not admitted.\n", id)
		}
	} else {
		finger, err := kind.Admit(pkiDir, id)
		if err != nil {
			return err
		}
		said = fmt.Sprintf("%s is admitted, with the key %.16s…\n", id, finger)
	}
	_, _ = fmt.Fprint(cmd.OutOrStdout(), said) // best effort: it is done
	return nil
}

func listAdmitted(cmd *cobra.Command, kind admitted.Kind, pkiDir string) error {
	all, err := kind.List(pkiDir)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", id, all[id]) // best effort
	}
	return err
}
