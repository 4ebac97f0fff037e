package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/deploy/seed"
)

func seedCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "seed CONFIG DATA",
		Short: "Give the nodes of a tree each other's keys before they start",
		Long: "Makes the key pairs that the nodes under CONFIG lack, accepts each public key at the\n" +
			"master above, admits nodes there as homes for others (mom node admit), pins that\n" +
			"master's key below, and prints every link with its fingerprints. CONFIG holds one folder per node, named as the others reach it, with\n" +
			"that node's /etc/salt; tops that name each other in cluster_peers are admitted at each other\n" +
			"(mom node admit --top); DATA holds one folder per node, its root_dir. For containers,\n" +
			"where the volumes of all nodes are on one machine. A second run changes nothing.",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			links, err := seed.Tree(args[0], args[1])
			for _, l := range links {
				state := "as before"
				if l.Changed {
					state = "new"
				}
				place := "below"
				if l.Beside {
					place = "beside"
				}
				_, _ = fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s: %s\n    key    %s\n    master %s\n",
					l.ID, place, l.Master, state, l.Fingerprint, l.MasterKey) // a broken pipe changes no key
			}
			return err
		},
	}
}
