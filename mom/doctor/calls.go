package doctor

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/momtree/mom/master"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/salt/render"
)

// salted matches calls of execution functions in templates, as salt['file.read'](…) or
// salt.file.read(…); remarks matches comments.
var (
	salted  = regexp.MustCompile(`\bsalt(?:\[\s*["']([A-Za-z0-9_]+\.[A-Za-z0-9_]+)["']\s*\]|\.([A-Za-z0-9_]+\.[A-Za-z0-9_]+))\s*\(`)
	remarks = regexp.MustCompile(`(?s)\{#.*?#\}`)
)

// calls reports functions in a template that this master does not have.
func (p *patient) calls(area, path string, data []byte, known []string) (good bool) {
	good = true
	data = remarks.ReplaceAllFunc(data, func(b []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(b, []byte("\n"))) })
	var seen []string
	for _, m := range salted.FindAllSubmatchIndex(data, -1) {
		at := m[2]
		end := m[3]
		if at < 0 {
			at, end = m[4], m[5]
		}
		fun := string(data[at:end])
		if slices.Contains(known, fun) || slices.Contains(seen, fun) {
			continue
		}
		seen = append(seen, fun)
		p.fails(area, place(path, data, at), "call a function that docs/guide/pillar.md lists, or get the value by cmd.run or ext_pillar (cmd_yaml, http_json)",
			"a master here has no function %s for templates", fun)
		good = false
	}
	return good
}

// functionsOfPillar lists the functions for templates of pillar and orchestrations.
func functionsOfPillar() []string {
	return slices.Concat(render.Pure(), pillar.Functions(), master.TemplateCalls())
}

// functionsOfReactor lists the functions for templates of reactions.
func functionsOfReactor() []string { return slices.Concat(render.Pure(), master.TemplateCalls()) }
