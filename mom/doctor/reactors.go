package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

const areaReactor = "reactor"

// reaction is a line of an SLS of the reactor that names a type and a function.
var reaction = regexp.MustCompile(`(?m)^\s+["']?(local|cmd|runner|wheel|caller|thorium)\.([A-Za-z0-9_.]+)["']?\s*:`)

// lookReactors reads the files of the reactor: whether they are there, can be read, and
// call what is here.
func lookReactors(p *patient) {
	list := p.conf.Reactor.List
	if f := p.conf.Reactor.File; f != "" {
		data, err := read(f)
		var v any
		if err == nil {
			v, err = pyfmt.ReadYAML(data)
		}
		if err != nil {
			p.fails(areaReactor, f, "mend the file that the option reactor names", "%v", err)
			return
		}
		r := config.ReadReactors(value.Plain(v))
		for _, fault := range r.Faults {
			p.fails(areaReactor, f, "mend the file that the option reactor names", "%s", fault)
		}
		list = r.List
	}
	// A file that several tags name is looked at once.
	tags, order := map[string][]string{}, []string{}
	for _, e := range list {
		for _, sls := range e.SLS {
			if _, seen := tags[sls]; !seen {
				order = append(order, sls)
			}
			tags[sls] = append(tags[sls], e.Tag)
		}
	}
	for _, sls := range order {
		tag := strings.Join(slices.Compact(tags[sls]), ", ")
		for _, path := range p.reactorFiles(tag, sls) {
			p.reactorFile(tag, path)
		}
	}
}

// reactorFiles finds the files of one entry.
func (p *patient) reactorFiles(tag, sls string) []string {
	if rel, ok := strings.CutPrefix(sls, "salt://"); ok {
		for _, dir := range p.roots("file_roots") {
			if _, err := os.Stat(filepath.Join(dir, rel)); err == nil {
				return []string{filepath.Join(dir, rel)}
			}
		}
		p.differs(areaReactor, sls, "", "the tag %s names it, and it is in no folder of file_roots: another backend has to have it", tag)
		return nil
	}
	found, err := filepath.Glob(sls)
	if err != nil || len(found) == 0 {
		p.fails(areaReactor, sls, "put the file there, or take the entry out", "the tag %s names it, and it is not there", tag)
		return nil
	}
	slices.Sort(found)
	return found
}

func (p *patient) reactorFile(tag, path string) {
	if !p.template(path, "master") {
		return
	}
	data, err := read(path)
	if err != nil {
		p.fails(areaReactor, path, "", "%v", err)
		return
	}
	good := p.calls(areaReactor, path, data, functionsOfReactor())
	for _, m := range reaction.FindAllSubmatchIndex(data, -1) {
		kind, fun := string(data[m[2]:m[3]]), string(data[m[4]:m[5]])
		where := fmt.Sprintf("%s:%d", path, 1+bytes.Count(data[:m[2]], []byte("\n")))
		switch _, served := runners.Lookup(fun); {
		case kind == "runner" && !served:
			p.fails(areaReactor, where, "call another runner, or keep what it does as a program that hears the events by the API", "the runner %s is not here", fun)
		case kind == "wheel" && !slices.Contains(wheels.Names(), fun):
			p.fails(areaReactor, where, "", "the wheel function %s is not here", fun)
		case kind == "caller":
			p.differs(areaReactor, where, "use local."+fun+" with the minion beside the master for tgt", "caller runs %s by salt-call of this program, whose modules are fewer than Salt's", fun)
		case kind == "thorium":
			p.fails(areaReactor, where, "use reactors or schedules", "there is no thorium here")
		default:
			continue
		}
		good = false
	}
	if good {
		p.works(areaReactor, path, "for %s", tag)
	}
}
