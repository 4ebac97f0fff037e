package render_test

import (
	"testing"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// BenchmarkSLS renders an SLS in the style of formulas: a map with defaults, a loop over
// pillar, filters.
func BenchmarkSLS(b *testing.B) {
	loader := files{
		"web/map.jinja":     "{% import_yaml 'web/defaults.yaml' as defaults %}\n{% set web = salt['grains.filter_by'](defaults, merge=salt['pillar.get']('web:lookup')) %}\n",
		"web/defaults.yaml": "default:\n  port: 80\nDebian:\n  pkg: apache2\n  svc: apache2\n",
	}
	e := engine(b, render.Options{Loader: loader})
	users := value.NewMap()
	for i := range 20 {
		users.Set("user"+string(rune('a'+i)), value.NewMap("uid", 1000+i, "groups", []any{"a", "b"}))
	}
	vars := value.NewMap("grains", value.NewMap("os_family", "Debian"), "pillar", value.NewMap("users", users, "web", value.NewMap("lookup", value.NewMap("port", 8080))))
	source := []byte(`{% from 'web/map.jinja' import web with context %}
web:
  pkg.installed:
    - name: {{ web.pkg }}
    - port: {{ web.port }}
{% for name, u in pillar.users|dictsort %}
user_{{ name }}:
  user.present:
    - uid: {{ u.uid }}
    - groups: {{ u.groups|json }}
{% endfor %}
`)
	for b.Loop() {
		if _, err := e.SLS(b.Context(), render.Template{Source: source, SLS: "web", Path: "web/init.sls", Vars: vars}, ""); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "templates/s")
}
