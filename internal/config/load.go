package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/wire"
)

// DefaultMaster returns the options of a master without any file. Resolve sets the paths that
// depend on others (token_dir, ...).
func DefaultMaster() *Master {
	m := &Master{}
	setDefaults(reflect.ValueOf(m).Elem(), masterTable())
	setDefaults(reflect.ValueOf(&m.MySQL).Elem(), mysqlTable())
	m.Bounds = bounds.Default()
	m.DefaultInclude = []string{"master.d/*.conf"}
	m.User = currentUser()
	m.Raw = map[string]any{}
	return m
}

// DefaultMinion returns the options of a minion without any file.
func DefaultMinion() *Minion {
	m := &Minion{}
	setDefaults(reflect.ValueOf(m).Elem(), minionTable())
	setDefaults(reflect.ValueOf(&m.MySQL).Elem(), mysqlTable())
	m.Bounds = bounds.Default()
	m.DefaultInclude = []string{"minion.d/*.conf"}
	m.User = currentUser()
	m.Raw = map[string]any{}
	return m
}

// LoadMaster reads dir/master and its includes, determines the id, resolves the paths and
// validates. A missing directory or file is a warning. The error joins every *Fault.
func LoadMaster(dir string) (*Master, []Warning, error) { return loadMaster(dir, localHost) }

func loadMaster(dir string, h host) (*Master, []Warning, error) {
	m, warnings, err := readMaster(dir, h)
	if err != nil {
		return nil, warnings, err
	}
	return m, warnings, nil
}

// readMaster also returns the readable part of faulty files.
func readMaster(dir string, h host) (*Master, []Warning, error) {
	m, r := DefaultMaster(), &reader{}
	m.source = r.load(dir, "master", "master.d/*.conf", reflect.ValueOf(m).Elem(), Masters)
	r.databases(m.source, &m.MySQL)
	r.brokers(m.source)
	r.ruleLists(m.source, "publisher_acl", m.PublisherAcl)
	r.ruleLists(m.source, "peer", m.Peer)
	r.ruleLists(m.source, "peer_run", m.PeerRun)
	r.nodegroups(m.source, m.Nodegroups)
	for _, fault := range m.Reactor.Faults {
		r.leaveOut(m.places["reactor"], "reactor", "option reactor: "+fault+"; it reacts to nothing")
	}
	m.LeftOut = r.left
	if _, set := m.places["keep_jobs_seconds"]; !set {
		if _, set := m.places["keep_jobs"]; set {
			m.KeepJobsSeconds = m.KeepJobs
		}
	}
	if p, set := m.places["token_dir"]; set {
		r.warn(p, Replaced, "token_dir", "option token_dir has no effect: as with Salt, tokens are in the folder tokens of cachedir")
	}
	m.normalise()
	if m.ID == "" {
		id, guessed := m.guessID(h, m.Dir)
		if !guessed.isAddress {
			id = m.withDomain(id)
		}
		m.ID = id + "_master"
	} else {
		m.ID = m.withDomain(m.ID)
	}
	written := map[string]string{"token_dir": m.TokenDir, "syndic_dir": m.SyndicDir}
	m.Resolve()
	for name, is := range map[string]string{"token_dir": m.TokenDir, "syndic_dir": m.SyndicDir} {
		if was := written[name]; was != "" && was != is {
			r.warn(m.Place(name), Replaced, name, fmt.Sprintf("option %s has no effect, as in Salt: it is always below cachedir, %s", name, is))
		}
	}
	err := r.done(m.Validate())
	return m, r.sorted(), err
}

// LoadMinion reads dir/minion and its includes. As Salt does, it writes a guessed id to the
// file minion_id.
func LoadMinion(dir string) (*Minion, []Warning, error) { return loadMinion(dir, localHost, true) }

func loadMinion(dir string, h host, writeID bool) (*Minion, []Warning, error) {
	return loadMinionIn(dir, h, writeID, "")
}

// loadMinionIn is loadMinion with another default of root_dir; "" means Salt's.
func loadMinionIn(dir string, h host, writeID bool, root string) (*Minion, []Warning, error) {
	m, r := DefaultMinion(), &reader{}
	m.RootDir = cmp.Or(root, m.RootDir)
	m.source = r.load(dir, "minion", "minion.d/*.conf", reflect.ValueOf(m).Elem(), Minions)
	r.databases(m.source, &m.MySQL)
	r.brokers(m.source)
	m.normalise()
	if m.ID == "" {
		id, guessed := m.guessID(h, m.Dir)
		if writeID && guessed.fresh && m.MinionIdCaching {
			if err := saveID(m.Dir, id); err != nil {
				r.warn(Place{File: filepath.Join(m.Dir, "minion_id")}, Permission, "id", fmt.Sprintf("the id %s could not be kept: %v", id, err))
			}
		}
		m.ID = id
		if !guessed.isAddress {
			m.ID = m.withDomain(id)
		}
	} else {
		m.ID = m.withDomain(m.ID)
	}
	m.Resolve()
	if strings.ContainsAny(m.ID, "*?[") {
		r.warn(m.Place("id"), Replaced, "id", fmt.Sprintf("the id %q is a pattern in targets, access rules and salt-key, which then mean other minions too; choose one without *, ? and [", m.ID))
	}
	if err := r.done(m.Validate()); err != nil {
		return nil, r.sorted(), err
	}
	return m, r.sorted(), nil
}

// load reads the files of one role into v.
func (r *reader) load(dir, file, include string, v reflect.Value, who Role) source {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	src := source{Dir: dir, ConfFile: filepath.Join(dir, file), Raw: map[string]any{}, places: map[string]Place{}, ordered: map[string]any{}}
	all := r.main(src.ConfFile, include)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		src.Raw[name], src.places[name] = s.value, s.place
		if s.order != nil {
			src.ordered[name] = s.order
		}
		o, known := who.table()[name]
		if !known {
			r.foreign(s, who)
			continue
		}
		r.notYet(s, who)
		if s.value == nil {
			if o.def != "" {
				r.warn(s.place, Replaced, name, fmt.Sprintf("option %s has no value: the default %s is used", name, o.def))
			}
			continue
		}
		note, err := o.assign(v.FieldByIndex(o.index), s.value, s.text)
		if err != nil {
			r.fault(s.place, name, "%v", err)
		}
		if note != "" {
			r.warn(s.place, Replaced, name, note)
		}
		if note := o.replaceUnknown(v.FieldByIndex(o.index)); note != "" {
			r.warn(s.place, Replaced, name, note)
		}
	}
	return src
}

// replaceUnknown sets the default where a lenient option has an unknown word, and returns a
// warning. It removes unknown words from a list.
func (o option) replaceUnknown(v reflect.Value) string {
	if !o.lenient {
		return ""
	}
	known := o.words()
	var unknown []string
	used := fmt.Sprintf("the default %s is used", o.def)
	if o.def == "" || v.Kind() == reflect.Slice {
		used = "it is ignored"
	}
	isUnknown := func(word string) bool {
		if word == "" || slices.Contains(known, strings.ToLower(word)) {
			return false
		}
		unknown = append(unknown, strconv.Quote(word))
		return true
	}
	switch words := v.Addr().Interface().(type) {
	case *string:
		if isUnknown(*words) {
			*words = o.def
		}
	case *[]string:
		*words = slices.DeleteFunc(*words, isUnknown)
	}
	if unknown == nil {
		return ""
	}
	return fmt.Sprintf("option %s: %s is not known, %s; there are %s", o.name, strings.Join(unknown, ", "), used, strings.Join(known, ", "))
}

func (c *Common) normalise() {
	c.HashType = strings.ToLower(c.HashType)
	c.LogLevel = strings.ToLower(c.LogLevel)
	c.LogLevelLogfile = strings.ToLower(c.LogLevelLogfile)
	c.StateOutput = strings.ToLower(c.StateOutput)
	c.Color = strings.ToLower(c.Color)
	c.OutTableJustify = strings.ToLower(c.OutTableJustify)
}

// done joins the faults of reading and validating.
func (r *reader) done(err error) error {
	seen := map[string]bool{}
	var all []*Fault
	var add func(err error)
	add = func(err error) {
		var f *Fault
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				add(e)
			}
		} else if errors.As(err, &f) && !seen[f.Error()] {
			seen[f.Error()] = true
			all = append(all, f)
		}
	}
	add(err)
	for _, e := range r.faults {
		add(e)
	}
	slices.SortStableFunc(all, func(a, b *Fault) int { return byPlace(a.Place, b.Place) })
	out := make([]error, len(all))
	for i, f := range all {
		out[i] = f
	}
	return errors.Join(out...)
}

func (r *reader) sorted() []Warning {
	slices.SortStableFunc(r.warnings, func(a, b Warning) int { return byPlace(a.Place, b.Place) })
	return r.warnings
}

func byPlace(a, b Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// get returns an option in the form of a file.
func get(v reflect.Value, t map[string]option, raw map[string]any, name string) (any, bool) {
	o, ok := t[name]
	if !ok {
		val, ok := raw[name]
		return val, ok
	}
	switch f := v.FieldByIndex(o.index).Interface().(type) {
	case time.Duration:
		n := float64(f) / float64(o.unit)
		if n == math.Trunc(n) {
			return int64(n), true
		}
		return n, true
	case int:
		return int64(f), true
	case *bool:
		if f == nil {
			return nil, true
		}
		return *f, true
	case Override:
		return f.value(), true
	case Aggregate:
		return f.Value(), true
	case Reactors:
		return f.value(), true
	case string:
		if f == "" && !o.hasDef && raw[name] == nil {
			return nil, true
		}
		return f, true
	case []string:
		out := wire.AnyList(f)
		if _, text := raw[name].(string); (text || raw[name] == nil) && len(out) == 1 {
			return out[0], true
		}
		return out, true
	default:
		return f, true
	}
}

// Get returns an option by name in the form of a file (seconds as a number, ...): a typed one
// with its default, any other as written.
func (m *Master) Get(name string) (any, bool) {
	if name == "conf_file" {
		return m.ConfFile, true
	}
	return get(reflect.ValueOf(m).Elem(), masterTable(), m.Raw, name)
}

// Get returns an option by name in the form of a file.
func (m *Minion) Get(name string) (any, bool) {
	if name == "conf_file" {
		return m.ConfFile, true
	}
	return get(reflect.ValueOf(m).Elem(), minionTable(), m.Raw, name)
}

// Place returns where an option was set; the zero Place means that it was not.
func (s *source) Place(name string) Place { return s.places[name] }
