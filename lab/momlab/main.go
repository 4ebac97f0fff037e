// Command momlab plays, breaks and measures trees of mom: a simulator in virtual time, a
// swarm of minions, faults in real processes, sizes, loads, and comparisons with installed
// Salts. Nothing of it is part of the program mom. Each command is made by the package of
// its name beside this file, over the package of the same name in the folder above.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/lab/momlab/chaos"
	"github.com/momtree/mom/lab/momlab/fileload"
	"github.com/momtree/mom/lab/momlab/formulas"
	"github.com/momtree/mom/lab/momlab/galera"
	"github.com/momtree/mom/lab/momlab/load"
	"github.com/momtree/mom/lab/momlab/matrix"
	"github.com/momtree/mom/lab/momlab/mutants"
	"github.com/momtree/mom/lab/momlab/returns"
	"github.com/momtree/mom/lab/momlab/scale"
	"github.com/momtree/mom/lab/momlab/sim"
	"github.com/momtree/mom/lab/momlab/soak"
	"github.com/momtree/mom/lab/momlab/swarm"
	"github.com/momtree/mom/lab/momlab/upstream"
	"github.com/momtree/mom/mom/command"
)

func main() {
	os.Exit(command.Run(root(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use: "momlab", Short: "Play, break and measure trees of mom",
		Long: "momlab plays trees of mom in virtual time and in real processes, breaks them, measures them and\n" +
			"compares them with installed Salts. It is for those who develop mom and for those who size a tree.",
	}
	c.AddCommand(sim.Command(), swarm.Command(), scale.Command(), soak.Command(), load.Command(), fileload.Command(), returns.Command())
	c.AddCommand(chaos.Command(), galera.Command(), mutants.Command(), matrix.Command(), upstream.Command(), formulas.Command())
	return command.Prepare(c, "momlab", "devel")
}
