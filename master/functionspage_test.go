package master

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
)

const functionsHead = `# Runners and wheel functions

Which functions of a master do ` + "`salt-run`" + ` and programs call, and with which arguments? This page is written by
` + "`go test ./master -run TestFunctionsPage -update`" + ` from the functions themselves ([how to add one](../design/extend.md)). Who may call them is
[access.md](../guide/access.md): the user of the master all of them, users of login services those that ` + "`@runner`, `@wheel` or `@MODULE`" + `
gives them. Results about minions cover the whole tree, over any number of nodes. A user who may call
` + "`salt.execute`, `survey.hash` or `survey.diff`" + ` can run any function on any minion, as in Salt.

While it works, a runner fires the events ` + "`salt/run/JID/progress`" + ` (a field ` + "`message`" + `, as Salt's) and ` + "`salt/run/JID/print`" + ` (a line of
` + "`text`" + ` that Salt's would write to standard output). ` + "`salt-run`" + ` shows both; with an outputter other than nested they go to standard error. Private
results (` + "`auth.mk_token`, `auth.del_token`, `cache.pillar`, `cache.fetch`, `cache.store`, `key.gen`, `key.gen_accept`" + `) are neither on the bus nor in the job cache.
`

// functionsPage renders docs/reference/functions.md.
func functionsPage() string {
	var out strings.Builder
	out.WriteString(functionsHead)
	part := func(title string, names []string, doc func(name string) string) {
		fmt.Fprintf(&out, "\n## %s\n", title)
		none := []string{}
		for _, name := range names {
			text := strings.TrimSpace(doc(name))
			if why, refused := strings.CutPrefix(text, "Not served: "); refused {
				why, _, _ = strings.Cut(why, ".\n")
				none = append(none, fmt.Sprintf("| `%s` | %s |\n", name, strings.ReplaceAll(why, "\n", " ")))
				continue
			}
			fmt.Fprintf(&out, "\n### `%s`\n\n```text\n%s\n```\n", name, text)
		}
		fmt.Fprintf(&out, "\nThese functions of Salt are refused by name:\n\n| function | why, and what to do |\n|---|---|\n%s", strings.Join(none, ""))
	}
	part("Runners", runners.Names(), func(name string) string {
		f, _ := runners.Lookup(name)
		return f.Doc
	})
	part("Wheel functions", wheels.Names(), wheels.Docs().String)
	return out.String()
}

// The page matches the functions' own documentation.
func TestFunctionsPage(t *testing.T) {
	file := filepath.Join("..", "docs", "reference", "functions.md")
	if *update {
		if err := os.WriteFile(file, []byte(functionsPage()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil || string(have) != functionsPage() {
		t.Errorf("docs/reference/functions.md is not what the functions say: go test ./master -run TestFunctionsPage -update (%v)", err)
	}
}
