package doctor

import (
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/returners"
)

// lookFileserver compares the file server backends with those of this program.
func lookFileserver(p *patient) {
	const area = "file server"
	names := texts(p.options["fileserver_backend"])
	if len(names) == 0 {
		names = []string{"roots"}
	}
	for _, name := range names {
		where := p.conf.Place("fileserver_backend").String()
		if err := files.Serves(name); err != nil {
			if p.readable { // otherwise the fault of the option is reported
				p.fails(area, where, "check the repository or bucket out by a timer and name the directory in file_roots", "%v", err)
			}
			continue
		}
		if !p.readable {
			continue // nothing starts; lookOptions reports it
		}
		if err := p.alone(func(c *config.Master) { c.FileserverBackend = []string{name} }); err != nil {
			p.fails(area, where, "change it: the master does not start with it", "%v", err)
			continue
		}
		p.works(area, "fileserver_backend", "%s", name)
	}
}

// lookReturners compares job caches and event_return with the returners of this program.
func lookReturners(p *patient) {
	const area = "returners"
	for _, option := range []string{"master_job_cache", "ext_job_cache", "event_return"} {
		for _, name := range texts(p.options[option]) {
			if name == "local_cache" {
				continue
			}
			err := returners.Check(name, option != "event_return", returners.Options{Values: p.options})
			if err == nil {
				p.works(area, option, "%s", name)
				continue
			}
			where := p.conf.Place(option).String()
			if d, ok := returners.Lookup(name); ok && (d.Store && option != "event_return" || d.Events && option == "event_return") {
				p.fails(area, where, "change it: the master does not start with it", "%v", err)
				continue
			}
			if option == "ext_job_cache" || p.readable { // otherwise the fault of the option is reported
				p.fails(area, where, "use one of "+strings.Join(usable(option), ", ")+
					"; Salt's minions can use other returners themselves (--return)", "%s: a master here has no returner %s", option, name)
			}
		}
	}
}

// lookCache checks the options of a cache that masters share.
func lookCache(p *patient) {
	const area = "cache"
	if !p.readable || p.conf.Cache == "localfs" {
		return
	}
	c, err := returners.OpenCache(p.conf.Cache, returners.Options{Values: p.options})
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		p.fails(area, p.conf.Place(area).String(), "change it: the master does not start with it", "%v", err)
		return
	}
	p.works(area, area, "%s", p.conf.Cache)
}

// usable returns the returners that an option may name.
func usable(option string) []string {
	events := option == "event_return"
	var out []string
	if !events {
		out = []string{"local_cache"}
	}
	for _, name := range returners.Names() {
		if d, _ := returners.Lookup(name); events && d.Events || !events && d.Store {
			out = append(out, name)
		}
	}
	return out
}

// texts returns the strings of an option that is a string or a list of strings.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	case []any:
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
	}
	return slices.Compact(out)
}
