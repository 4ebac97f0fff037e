package swarm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

const (
	// mostSLS and mostSources bound the files of a highstate, mostEnvs its environments.
	mostSLS     = 1000
	mostSources = 1000
	mostEnvs    = 16
)

// states is a run of states.
type states struct {
	*errand
	lists map[string][]string // names of SLS, by environment
	done  map[string]bool     // SLS fetched so far, by environment and name
	runs  []ran
	urls  []file // sources, each once
}

// ran is a state that a minion would run.
type ran struct{ id, sls string }

// highstate is state.highstate: it makes salt-minion's requests to the master, in order, without
// running the states.
func (e *errand) highstate() result {
	_, named := e.order.arguments()
	return e.run(nil, named.String("saltenv"))
}

// apply is state.apply and state.sls. Without names of SLS the former is a highstate.
func (e *errand) apply() result {
	args, named := e.order.arguments()
	mods := named.Strings("mods")
	if len(mods) == 0 && len(args) > 0 {
		if list, ok := args[0].([]any); ok {
			mods = wire.Texts(list)
		}
	}
	if len(mods) == 0 {
		if text := argument(args, named, 0, "mods"); text != "" {
			mods = strings.Split(text, ",")
		}
	}
	env := argument(args, named, 1, "saltenv")
	if env == "" {
		env = "base"
	}
	switch {
	case len(mods) > 0:
		return e.run(map[string][]string{env: mods}, env)
	case e.order.fun == "state.sls":
		return broken(e.order.fun, errors.New("no SLS given"))
	}
	return e.run(nil, named.String("saltenv"))
}

// run runs the given SLS, or those of the top files if wanted is nil.
func (e *errand) run(wanted map[string][]string, env string) result {
	s := &states{errand: e, lists: map[string][]string{}, done: map[string]bool{}}
	if err := s.gather(wanted, env); err != nil {
		return broken(e.order.fun, err)
	}
	if len(s.runs) == 0 {
		return result{value: []any{"No states were found for this minion"}, retcode: 2, out: "highstate"}
	}
	return result{value: s.returns(), out: "highstate"}
}

func (s *states) gather(wanted map[string][]string, env string) error {
	if _, err := s.askPillar(); err != nil {
		return err
	}
	if _, err := s.answer("_master_opts"); err != nil {
		return err
	}
	order := []string{env}
	if wanted == nil {
		var err error
		if wanted, order, err = s.tops(env); err != nil {
			return err
		}
	}
	for _, env := range order {
		for _, name := range wanted[env] {
			if err := s.matching(env, strings.TrimSpace(name)); err != nil {
				return err
			}
		}
	}
	for _, f := range s.urls {
		// Like file.managed: first the hash, then the file.
		if _, _, err := s.hashOf(f.env, f.path); err != nil {
			return err
		}
		if _, err := s.fetch(f.env, f.path, copyOf{}); err != nil {
			return err
		}
	}
	return nil
}

// tops returns the SLS that the top files and master_tops list for this minion.
func (s *states) tops(only string) (wanted map[string][]string, order []string, err error) {
	envs := []string{only}
	if only == "" {
		v, err := s.answer("_file_envs")
		if err != nil {
			return nil, nil, err
		}
		list, _ := v.([]any)
		if envs = wire.Texts(list); len(envs) > mostEnvs {
			return nil, nil, fmt.Errorf("the master has %d environments; a swarm supports %d", len(envs), mostEnvs)
		}
	}
	wanted = map[string][]string{}
	want := func(env, name string) {
		if !slices.Contains(order, env) {
			order = append(order, env)
		}
		if !slices.Contains(wanted[env], name) {
			wanted[env] = append(wanted[env], name)
		}
	}
	for _, env := range envs {
		x, err := s.sheet("top", env, "top.sls", readTop)
		if err == nil && x != nil {
			err = x.fault
		}
		if err != nil {
			return nil, nil, err
		}
		if x == nil {
			continue
		}
		for _, c := range x.top {
			if only != "" && c.env != only || !c.tgt.Match(subject{s.minion}) {
				continue
			}
			for _, name := range c.list {
				want(c.env, name)
			}
		}
	}
	v, err := s.answer("_master_tops", "opts", s.options())
	if err != nil {
		return nil, nil, err
	}
	more, _ := v.(*wire.Map)
	more.Range(func(env, list any) bool {
		names, _ := list.([]any)
		for _, name := range wire.Texts(names) {
			want(fmt.Sprint(env), name)
		}
		return true
	})
	return wanted, order, nil
}

// matching fetches the SLS that match a name or pattern.
func (s *states) matching(env, pattern string) error {
	names, ok := s.lists[env]
	if !ok {
		v, err := s.answer("_file_list", "saltenv", env)
		if err != nil {
			return err
		}
		paths, _ := v.([]any)
		for _, path := range wire.Texts(paths) {
			if name, ok := strings.CutSuffix(path, ".sls"); ok {
				names = append(names, strings.TrimSuffix(strings.ReplaceAll(name, "/", "."), ".init"))
			}
		}
		s.lists[env] = names
	}
	found := false
	for _, name := range names {
		if target.Glob(pattern, name) {
			found = true
			if err := s.sls(env, name); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("no matching sls found for '%s' in env '%s'", pattern, env)
	}
	return nil
}

// sls fetches an SLS and its includes.
func (s *states) sls(env, name string) error {
	if key := env + "\x00" + name; s.done[key] {
		return nil
	} else if s.done[key] = true; len(s.done) > mostSLS {
		return fmt.Errorf("more than %d SLS", mostSLS)
	}
	at := strings.ReplaceAll(name, ".", "/")
	x, err := s.sheet("sls", env, at+".sls", readSLS)
	if err == nil && x == nil {
		x, err = s.sheet("sls", env, at+"/init.sls", readSLS)
	}
	switch {
	case err != nil:
		return err
	case x == nil:
		return fmt.Errorf("specified SLS %s in saltenv %s is not available on the salt master or through a configured fileserver", name, env)
	}
	for _, other := range x.include {
		if rest, ok := strings.CutPrefix(other, "."); ok {
			other = rest
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				other = name[:i+1] + rest
			}
		}
		if err := s.matching(env, other); err != nil {
			return err
		}
	}
	for _, id := range x.states {
		s.runs = append(s.runs, ran{id, name})
	}
	for _, url := range x.sources {
		path, in, err := source(url, env)
		if err != nil {
			return err
		}
		if f := (file{env: in, path: path}); !slices.Contains(s.urls, f) {
			s.urls = append(s.urls, f)
		}
	}
	if len(s.urls) > mostSources {
		return fmt.Errorf("more than %d source files", mostSources)
	}
	return nil
}

// sheet fetches an SLS or top file and returns what it names, or nil if the file does not exist.
func (s *states) sheet(kind, env, path string, read func([]byte) *sheet) (*sheet, error) {
	have, all := s.swarm.sheets, []byte(nil)
	keyOf := func(sum string) string { return strings.Join([]string{kind, env, path, sum}, "\x00") }
	f, err := s.fetch(env, path, copyOf{
		see: func(b []byte) {
			if len(all) <= mostSheet {
				all = append(all, b...)
			}
		},
		need: func(sum string) bool { return have.get(keyOf(sum)) == nil },
	})
	if err != nil || f.sum == "" {
		return nil, err
	}
	if x := have.get(keyOf(f.sum)); x != nil {
		return x, nil
	}
	if len(all) > mostSheet {
		return nil, fmt.Errorf("salt://%s has more than %d bytes", path, mostSheet)
	}
	x := read(all)
	have.put(keyOf(f.sum), x)
	return x, nil
}

// returns is the result of a highstate without changes.
func (s *states) returns() *wire.Map {
	out := value.Sized(len(s.runs))
	for n, r := range s.runs {
		out.Set("file_|-"+r.id+"_|-"+r.id+"_|-managed", wire.NewMap(
			"name", r.id, "changes", wire.NewMap(), "result", true, "comment", "File "+r.id+" is in the correct state",
			"__sls__", r.sls, "__run_num__", n, "start_time", "12:00:00.000000", "duration", 1.25, "__id__", r.id))
	}
	return out
}

// fillers is how many options stand in for those of a salt-minion, which sends all its options with
// _master_tops: about 16 KB.
const fillers = 320

// options returns the options that a minion sends with _master_tops.
func (m *minion) options() *wire.Map {
	o := m.swarm.options.Clone()
	o.Set("id", m.id)
	o.Set("grains", m.grains())
	return o
}

// fillerOptions are shared by all minions; each adds its id and grains.
func fillerOptions() *wire.Map {
	o := value.Sized(fillers + 2)
	for i := range fillers {
		o.Set(fmt.Sprintf("swarm_option_%03d", i), "the value of an option, of usual size")
	}
	return o
}
