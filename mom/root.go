package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/acl"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/daemons"
	"github.com/momtree/mom/mom/debug"
	"github.com/momtree/mom/mom/demo"
	"github.com/momtree/mom/mom/doctor"
	"github.com/momtree/mom/mom/health"
	"github.com/momtree/mom/mom/node"
	"github.com/momtree/mom/mom/plan"
	"github.com/momtree/mom/mom/salt"
	"github.com/momtree/mom/mom/saltcall"
	"github.com/momtree/mom/mom/saltcp"
	"github.com/momtree/mom/mom/saltkey"
	"github.com/momtree/mom/mom/saltrun"
	"github.com/momtree/mom/mom/tree"
)

// run is the whole program: it returns the exit code.
func run(args []string, in io.Reader, out, errOut io.Writer) int {
	return command.Run(commandFor(args[0]), args[1:], in, out, errOut)
}

// commandFor gives the command that the program's name asks for: Salt's names
// stand for themselves, any other is mom with its sub-commands.
func commandFor(arg0 string) *cobra.Command {
	name := programName(arg0)
	for _, c := range saltCommands() {
		if c.Name() == name {
			return command.Prepare(c, name, version())
		}
	}
	if kind, ok := strings.CutPrefix(name, "salt-"); ok {
		for _, c := range daemons.Commands() {
			if c.Name() == kind {
				return command.Prepare(c, name, version())
			}
		}
	}
	if strings.HasPrefix(name, "salt-") {
		return command.Prepare(absent(name), name, version())
	}
	root := &cobra.Command{
		Use:   "mom",
		Short: "Salt's control plane around the tree of masters",
		Long: "mom runs and looks at a tree of Salt masters: the daemons master, syndic,\n" +
			"minion and api, Salt's own commands, and views of the tree. Called as salt, salt-key,\n" +
			"salt-run, salt-call, salt-cp, salt-api, salt-master, salt-minion or salt-syndic it is that command.",
	}
	root.AddCommand(daemons.Commands()...)
	root.AddCommand(saltCommands()...)
	root.AddCommand(tree.Command(), tree.TopCommand(), tree.TraceCommand(), debug.Command(), demo.Command(), doctor.Command(), health.Command(), seedCommand(), node.Command(), acl.Command())
	root.AddCommand(plan.Command(), manCommand(pages))
	return command.Prepare(root, "mom", version())
}

// programName returns the name by which the program was called. Windows ignores its case and needs
// an ending.
func programName(arg0 string) string {
	name := filepath.Base(arg0)
	if runtime.GOOS == "windows" {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	}
	return name
}

// pages are the commands that have manual pages: mom, and those of Salt's names.
func pages() []*cobra.Command {
	out := []*cobra.Command{commandFor("mom")}
	for _, c := range saltCommands() {
		out = append(out, commandFor(c.Name()))
	}
	for _, c := range daemons.Commands() {
		name := "salt-" + c.Name()
		c = commandFor(name)
		c.Use = strings.Replace(c.Use, c.Name(), name, 1)
		out = append(out, c)
	}
	return out
}

// absent is the command of a name of Salt's that is not here.
func absent(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return command.Exit(command.ExitUsage, fmt.Errorf("%s is not part of mom; called by a name of Salt's it is one of salt, salt-call, salt-cp, salt-key, salt-run, salt-api, salt-master, salt-syndic, salt-minion", name))
		},
	}
}

// saltCommands are the commands that Salt has, under its names.
func saltCommands() []*cobra.Command {
	return []*cobra.Command{salt.Command(), saltcall.Command(), saltcp.Command(), saltkey.Command(), saltrun.Command()}
}
