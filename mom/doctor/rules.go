package doctor

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/salt/modules"
	_ "github.com/momtree/mom/salt/modules/state" // every function of a minion
)

const areaRules = "rules"

// lookRules finds expressions that match more with Salt, where they match a prefix of a name, than
// here, where they match the whole name.
func lookRules(p *patient) {
	ids := p.accepted()
	for _, option := range []string{"peer", "peer_run", "mine_get"} {
		rules, _ := p.options[option].(map[string]any)
		for _, who := range slices.Sorted(maps.Keys(rules)) {
			if less := onlyBegun(who, ids); len(less) > 0 {
				p.differs(areaRules, p.where(option), fmt.Sprintf("write '%s.*' if you mean that", who),
					"%s: '%s' has to fit the whole id here; with Salt it also means %s", option, who, some(less))
			}
		}
	}
	p.special("publisher_acl", p.options["publisher_acl"])
	services, _ := p.options["external_auth"].(map[string]any)
	for _, s := range slices.Sorted(maps.Keys(services)) {
		p.special("external_auth", services[s])
	}
	if p.conf.AclMatch == config.AclMatchStart {
		return
	}
	known := modules.Functions()
	for _, option := range []string{"peer", "publisher_acl", "mine_get"} {
		p.functions(option, p.options[option], known)
	}
	p.functions("peer_run", p.options["peer_run"], runners.Names())
	for _, s := range slices.Sorted(maps.Keys(services)) {
		p.functions("external_auth", services[s], known)
	}
}

// functions checks the rules of an option: {who: [function, {target: [function]}]}.
func (p *patient) functions(option string, rules any, known []string) {
	byWho, _ := rules.(map[string]any)
	var seen []string
	for _, who := range slices.Sorted(maps.Keys(byWho)) {
		for _, expr := range functionsIn(byWho[who]) {
			begun := onlyBegun(expr, known)
			// One that matches a whole name is meant so: test.ping, not test.pingx.
			if len(begun) == 0 || slices.Contains(seen, expr) || slices.ContainsFunc(known, target.NewGrant(expr).Match) {
				continue
			}
			seen = append(seen, expr)
			p.differs(areaRules, p.where(option), fmt.Sprintf("write '%s.*', or set acl_match: start", expr),
				"%s: '%s' has to fit a whole function here, and fits none; with Salt it means %s", option, expr, some(begun))
		}
	}
}

// special finds rules with @ that match no function of the master.
func (p *patient) special(option string, rules any) {
	known := []string{"runner", "runners", "wheel", "wheels", "jobs", "returners", "executors"}
	for _, f := range slices.Concat(runners.Names(), wheels.Names()) {
		module, _, _ := strings.Cut(f, ".")
		known = append(known, module)
	}
	byWho, _ := rules.(map[string]any)
	for _, who := range slices.Sorted(maps.Keys(byWho)) {
		list, _ := byWho[who].([]any)
		for _, r := range list {
			word, _ := r.(string)
			if m, ok := r.(map[string]any); ok && len(m) == 1 {
				word = slices.Collect(maps.Keys(m))[0]
			}
			if module, ok := strings.CutPrefix(word, "@"); ok && !slices.Contains(known, module) {
				p.fails(option, p.where(option), "write @runner, @wheel, @jobs, or @ and the name of a module of runners or wheel functions",
					"%s: the rule %s allows nothing: no such module", who, word)
			}
		}
	}
}

// functionsIn returns the expressions for functions in a list of rules.
func functionsIn(rules any) (out []string) {
	list, _ := rules.([]any)
	for _, r := range list {
		switch r := r.(type) {
		case string:
			out = append(out, r)
		case map[string]any: // by target; for rules with arguments the key is the function
			for _, tgt := range slices.Sorted(maps.Keys(r)) {
				inner, _ := r[tgt].([]any)
				for _, f := range inner {
					switch f := f.(type) {
					case string:
						out = append(out, f)
					case map[string]any:
						out = slices.AppendSeq(out, maps.Keys(f))
					}
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return strings.HasPrefix(s, "@") })
}

// onlyBegun returns the names of which an expression matches a prefix but not the whole.
func onlyBegun(expr string, names []string) (out []string) {
	whole, begun := target.NewGrant(expr), target.NewGrant("(?:"+expr+").*")
	for _, n := range names {
		if begun.Match(n) && !whole.Match(n) {
			out = append(out, n)
		}
	}
	return out
}

// some returns the first few of many names.
func some(names []string) string {
	const few = 5
	if len(names) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}

func (p *patient) where(option string) string { return p.conf.Place(option).String() }

// accepted returns the ids of the accepted keys.
func (p *patient) accepted() (ids []string) {
	files, err := os.ReadDir(filepath.Join(p.conf.PkiDir, "minions"))
	if err != nil {
		return nil // lookKeys reports it
	}
	for _, f := range files {
		if f.Type().IsRegular() && !strings.HasPrefix(f.Name(), ".") {
			ids = append(ids, f.Name())
		}
	}
	return ids
}
