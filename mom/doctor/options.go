package doctor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
)

const areaOptions = "options"

// lookOptions reads the master's files like the master.
func lookOptions(p *patient) {
	conf, warnings, err := config.ReadMaster(p.dir)
	if err != nil {
		for _, e := range each(err) {
			var f *config.Fault
			if errors.As(e, &f) {
				p.fails(areaOptions, f.Place.String(), "change it: the master does not start with it", "%s", strings.TrimPrefix(f.Error(), f.Place.String()+": "))
				continue
			}
			p.fails(areaOptions, "", "", "%v", e)
		}
	}
	p.conf, p.options = conf, conf.Raw
	p.warn(warnings)
	if p.readable = err == nil; !p.readable {
		return
	}
	served := 0
	for _, name := range slices.Sorted(maps.Keys(conf.Raw)) {
		if _, known := conf.Get(name); known && config.NotYet[name]&config.Masters == 0 && config.NotNeeded[name] == "" {
			served++
		}
	}
	p.works(areaOptions, "", "%d of the %d options that are set have their effect", served, len(conf.Raw))
}

func each(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return []error{err}
}

// warn sorts the warnings of reading the files.
func (p *patient) warn(warnings []config.Warning) {
	for _, w := range warnings {
		where := ""
		if w.File != "" {
			where = w.Place.String()
		}
		switch w.Kind {
		case config.NoEffect:
			if config.NotNeeded[w.Option] != "" {
				p.works(areaOptions, where, "%s", w.Text)
				continue
			}
			if w.Option == "extension_modules" { // lookPython reports each file in it
				p.works(areaOptions, where, "%s; an empty folder changes nothing", w.Text)
				continue
			}
			do := "remove it, or keep a Python master for it"
			if effect := config.Effects[w.Option]; effect != "" {
				do = fmt.Sprintf("know that %s", effect)
			}
			p.fails(areaOptions, where, do, "%s", w.Text)
		case config.UnknownOption:
			p.differs(areaOptions, where, "Salt has no such option; a module or runner of yours that reads it will not find it here", "%s", w.Text)
		default:
			p.differs(areaOptions, where, "", "%s", w.Text)
		}
	}
}
