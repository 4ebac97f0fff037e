package master

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/cluster"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/failover"
	"github.com/momtree/mom/master/intake"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/peers"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/master/server"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md anew")

const commandsHead = `# Commands of port 4506

Which requests does a master serve, and who may send each? Clear requests come from users of its machine, encrypted ones from minions
and nodes. This page is written by ` + "`go test ./master -run TestCommandsPage -update`" + ` from the commands themselves
([how to add one](../design/extend.md)); Salt's own are Salt's, our additions are in [wire-additions.md](../design/wire-additions.md) as well.

Who: *anyone* needs no key. *The user of the master* has the key that the master has written for the user that it runs as, *a user with a
key* that one or one of a user of ` + "`publisher_acl`" + `. *A minion or node* has an accepted key; before protocol 3 it may claim any id.
*Proven*: it has shown that the key is its own, as all have in protocol 3.
`

// allCommands returns the commands of all packages.
func allCommands() []server.Command {
	return slices.Concat(intake.Commands(), below.Commands(), peers.Commands(), publications.Commands(), publish.Commands(), failover.Commands(),
		resources.Commands(), cluster.Commands(), mine.Commands(), peercall.Commands(), commands.All())
}

// commandsPage renders docs/reference/commands.md.
func commandsPage() string {
	all := allCommands()
	slices.SortFunc(all, func(a, b server.Command) int {
		return cmp.Or(cmp.Compare(a.Who, b.Who), strings.Compare(a.Name, b.Name))
	})
	var out strings.Builder
	out.WriteString(commandsHead)
	none := []string{}
	for _, part := range []struct {
		title  string
		sealed bool
	}{{"In clear", false}, {"Sealed", true}} {
		fmt.Fprintf(&out, "\n## %s\n", part.title)
		for _, c := range all {
			switch doc := strings.TrimSpace(c.Doc); {
			case c.Who.Sealed() != part.sealed:
			case strings.HasPrefix(doc, "Not served: "):
				none = append(none, fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, c.Who, strings.TrimSuffix(strings.TrimPrefix(doc, "Not served: "), ".")))
			default:
				fmt.Fprintf(&out, "\n### `%s`\n\nFor: %s", c.Name, c.Who)
				if c.WhoOf != nil {
					out.WriteString(", unless the function says otherwise")
				}
				fmt.Fprintf(&out, ".\n\n```text\n%s\n```\n", doc)
			}
		}
	}
	out.WriteString("\n## Not served\n\nThe answers let Salt's minions and clients continue and report the reason where they can.\n\n" +
		"| command | who | what for |\n|---|---|---|\n" + strings.Join(none, ""))
	return out.String()
}

// The page matches the commands' own documentation.
func TestCommandsPage(t *testing.T) {
	file := filepath.Join("..", "docs", "reference", "commands.md")
	if *update {
		if err := os.WriteFile(file, []byte(commandsPage()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil || string(have) != commandsPage() {
		t.Errorf("docs/reference/commands.md is not what the commands say: go test ./master -run TestCommandsPage -update (%v)", err)
	}
}

// The page has every command that a master serves.
func TestCommandsPage_IsWhole(t *testing.T) {
	known := map[string]bool{}
	for _, c := range allCommands() {
		known[c.Name] = true
	}
	r := newRig(t, ordersMasters)
	r.start()
	for _, c := range r.server.Commands() {
		if !known[c.Name] {
			t.Errorf("%s is served and not on the page", c.Name)
		}
	}
}
