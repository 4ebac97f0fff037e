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
	var undo bool
	c := &cobra.Command{
		Use:   "admit [ID]...",
		Short: "Make nodes below this master homes for others' minions",
		Long: "Writes beside the keys of these nodes that they may be homes for others: the nodes right\n" +
			"below this master are told of each other as siblings, a minion whose node is gone goes to\n" +
			"one of them, and each believes what another says of its own minions' keys. Nothing that a\n" +
			"node says of itself has that effect. It also lets a key that was a minion's speak as a\n" +
			"node. The key has to be there, accepted or pending; another key under the same id is not\n" +
			"admitted, and a deleted key loses it. The master sees it within a second.\n" +
			"Without ID those that are admitted are listed; `syndic_ids` in the file master does the\n" +
			"same for ids and globs. Exit codes: 0 done, 1 some were not, 64 for a wrong option.",
		RunE: func(cmd *cobra.Command, ids []string) error {
			conf, _, err := config.LoadMaster(dir)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				if undo {
					return command.Exit(command.ExitUsage, errors.New("--undo: name the nodes whose admission is to be taken back"))
				}
				return listAdmitted(cmd, conf.PkiDir)
			}
			var errs []error
			for _, id := range ids {
				errs = append(errs, admitOne(cmd, conf.PkiDir, id, undo))
			}
			if err := errors.Join(errs...); err != nil {
				return command.Exit(command.ExitFailure, err)
			}
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "config-dir", "c", "/etc/salt", "folder with the file master")
	c.Flags().BoolVar(&undo, "undo", false, "take the admission back")
	return c
}

func admitOne(cmd *cobra.Command, pkiDir, id string, undo bool) error {
	var said string
	if undo {
		was, err := admitted.Withdraw(pkiDir, id)
		if err != nil {
			return err
		}
		if said = fmt.Sprintf("%s is no home for others any more.\n", id); !was {
			said = fmt.Sprintf("%s was not admitted.\n", id)
		}
	} else {
		finger, err := admitted.Admit(pkiDir, id)
		if err != nil {
			return err
		}
		said = fmt.Sprintf("%s is admitted, with the key %.16s…\n", id, finger)
	}
	_, _ = fmt.Fprint(cmd.OutOrStdout(), said) // it is done, whoever reads it
	return nil
}

func listAdmitted(cmd *cobra.Command, pkiDir string) error {
	all, err := admitted.List(pkiDir)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", id, all[id]) // nothing depends on it
	}
	return err
}
