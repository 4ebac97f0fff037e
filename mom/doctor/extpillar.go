package doctor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/config"
	_ "github.com/momtree/mom/master" // what it has entered its registries
	"github.com/momtree/mom/master/pillar/ext"
)

// lookExtPillar compares the sources of ext_pillar with those of this program.
func lookExtPillar(p *patient) {
	const area = "ext_pillar"
	list, _ := p.options["ext_pillar"].([]any)
	for i, e := range list {
		m, _ := e.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(m)) {
			where := fmt.Sprintf("ext_pillar[%d] %s", i+1, name)
			s, ok := ext.Lookup(name)
			if !ok {
				p.fails(area, where, "print the same data by a program (cmd_yaml) or serve it by HTTP (http_json)", "%v", ext.Unserved(name))
				continue
			}
			if s.Check != nil {
				if err := s.Check(m[name]); err != nil {
					p.fails(area, where, "change the entry", "%v", err)
					continue
				}
			}
			if !p.readable {
				continue // nothing starts; lookOptions reports it
			}
			if err := p.alone(func(c *config.Master) { c.ExtPillar = []any{map[string]any{name: m[name]}} }); err != nil {
				p.fails(area, where, "change the entry: the master does not start with it", "%v", err)
				continue
			}
			p.works(area, where, "it is used as before")
		}
	}
}
