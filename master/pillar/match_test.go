package pillar

import (
	"testing"

	"github.com/momtree/mom/internal/config"
)

// The default of minion_id is the id of the master, as in Salt's own test of match.filter_by.
func TestMatch(t *testing.T) {
	r := newRig(t, map[string]string{"top.sls": "{base: {'*': [a]}}"}, func(c *config.Master) {
		c.ID = "top_master"
		c.Nodegroups = map[string]any{"ms": "m*"}
	})
	const roles = "{'web*': 'app', 'm*': 'db', 'top*': {'a': [1]}}"
	for call, want := range map[string]string{
		"match.compound']('m1', minion_id='m1')":                                  `{"v":"True"}`,
		"match.compound']('m1')":                                                  `{"v":"False"}`,
		"match.compound']('G@id:m1 and N@ms', minion_id=grains.id)":               `{"v":"True"}`,
		"match.compound']('G@id:m1 and (', minion_id='m1')":                       `{"v":"False"}`,
		"match.glob']('x*', 'x1')":                                                `{"v":"True"}`,
		"match.list']('a,b', minion_id='b')":                                      `{"v":"True"}`,
		"match.pcre']('m[0-9]', minion_id='m1')":                                  `{"v":"True"}`,
		"match.grain']('id:m*')":                                                  `{"v":"True"}`,
		"match.grain']('id|m*', delimiter='|')":                                   `{"v":"True"}`,
		"match.filter_by'](" + roles + ", minion_id='m1')":                        `{"v":"db"}`,
		"match.filter_by'](" + roles + ")":                                        `{"v":"{'a': [1]}"}`,
		"match.filter_by'](" + roles + ", merge={'a': [2], 'b': 1})":              `{"v":"{'a': [2], 'b': 1}"}`,
		"match.filter_by'](" + roles + ", minion_id='x', default='web*')":         `{"v":"app"}`,
		"match.filter_by'](" + roles + ", minion_id='x')":                         `{"v":"None"}`,
		"match.search_by']({'a': ['m*'], 'b': ['x', 'm1']}, minion_id='m1')|join": `{"v":"ab"}`,
		"match.search_by']({'a': ['q']}, minion_id='m1')":                         `{"v":"None"}`,
	} {
		r.file("a.sls", "v: \"{{ salt['"+call+" }}\"")
		if got := asJSON(t, r.get()); got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
	for _, call := range []string{"match.filter_by']({'*': 1}, 'nothing')", "match.filter_by']([])", "match.filter_by']({'*': 1}, merge={'a': 1}, minion_id='m1')"} {
		r.file("a.sls", "v: \"{{ salt['"+call+" }}\"")
		if p := r.get(); !p.Has("_errors") {
			t.Errorf("%s: %v", call, p)
		}
	}
}
