package doctor

import (
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/auth"
)

// lookLogins compares external_auth with the login services of this program.
func lookLogins(p *patient) {
	const area = "external_auth"
	for _, name := range slices.Sorted(maps.Keys(p.conf.ExternalAuth)) {
		where := p.conf.Place("external_auth").String()
		if !slices.Contains(auth.Names(), name) {
			p.fails(area, where, "use one of "+strings.Join(auth.Names(), ", "), "no login service %s here: its users cannot log in", name)
			continue
		}
		if entries := p.conf.ExternalAuth[name]; entries != nil {
			if _, ok := entries.(map[string]any); !ok {
				continue // lookStart reports it
			}
		}
		if !p.readable {
			continue // nothing starts; lookOptions reports it
		}
		if err := p.alone(func(c *config.Master) { c.ExternalAuth = map[string]any{name: p.conf.ExternalAuth[name]} }); err != nil {
			p.fails(area, where, "change it: the master does not start with it", "%v", err)
			continue
		}
		p.works(area, name, "users log in by %s as before", name)
	}
}

// lookClients reports what happens to Salt's API servers.
func lookClients(p *patient) {
	const area = "API"
	for _, name := range []string{"rest_cherrypy", "rest_tornado"} {
		if _, ok := p.options[name].(map[string]any); ok {
			p.differs(area, p.conf.Place(name).String(), "start mom api (salt-api) in its place; docs/guide/api-compatibility.md lists each difference",
				"clients of %s use the same paths and bodies as before", name)
		}
	}
	for _, name := range texts(p.options["netapi_enable_clients"]) {
		if strings.HasPrefix(name, "ssh") {
			p.fails(area, p.conf.Place("netapi_enable_clients").String(), "keep a Python salt-api for it", "the client %s needs salt-ssh, which this server does not have", name)
		}
	}
}
