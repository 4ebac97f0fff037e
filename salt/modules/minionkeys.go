package modules

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	Register("minion",
		Function{Name: "list", Run: minionList, Doc: `
Return the ids of the accepted, waiting, rejected and denied keys of the master
on this host; the lists are empty if there is no master.

CLI Example:

    salt 'master' minion.list
`},
	)
}

// minionList lists the keys in the folders beside the minion's own, as Salt does.
func minionList(_ context.Context, c *Call) (any, error) {
	pki := strings.ReplaceAll(PyStr(c.Env.Option("pki_dir")), "minion", "master")
	out := value.NewMap()
	for _, folder := range []string{"minions", "minions_pre", "minions_rejected", "minions_denied"} {
		ids := []string{}
		entries, _ := os.ReadDir(filepath.Join(pki, folder)) // a missing folder has no keys
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				ids = append(ids, e.Name())
			}
		}
		slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
		out.Set(folder, wire.AnyList(ids))
	}
	return out, nil
}
