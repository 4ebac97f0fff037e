package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/functions"
)

// The names after @ of rules for the settings of a job.
const (
	returnersRule = "returners"
	executorsRule = "executors"
)

// Settings select the returners that store a job's results and the executors that run it. Rules for
// functions do not cover them. The metadata of a job selects nothing and is not included.
type Settings struct {
	// Returners are the names in ret; ReturnerOptions are those of ret_config and ret_kwargs.
	Returners       []string
	ReturnerOptions *wire.Map
	// Executors are the names in module_executors, ExecutorOptions is executor_opts.
	Executors       []string
	ExecutorOptions *wire.Map

	fault error // why they cannot be read in one way
}

// SettingsOf returns the settings of a publish load.
func SettingsOf(p wire.PublishLoad) (Settings, error) {
	s := Settings{ReturnerOptions: wire.NewMap(), ExecutorOptions: wire.NewMap()}
	extra, err := p.DecodedKwargs()
	if err != nil {
		return s, err
	}
	for name := range strings.SplitSeq(p.Ret, ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.Returners = append(s.Returners, name)
		}
	}
	s.options(s.ReturnerOptions, extra, "ret_kwargs")
	if v, _ := extra.Get("ret_config"); !empty(v) {
		if s.ReturnerOptions.Has("ret_config") {
			s.fault = errors.New("ret_config is also in ret_kwargs")
		}
		s.ReturnerOptions.Set("ret_config", v)
	}
	s.options(s.ExecutorOptions, extra, "executor_opts")
	v, _ := extra.Get("module_executors")
	list, ok := v.([]any)
	if s.Executors = wire.Texts(list); !empty(v) && (!ok || len(s.Executors) != len(list)) {
		s.fault = errors.New("module_executors is not a list of names")
	}
	return s, nil
}

// options reads a field that is a mapping.
func (s *Settings) options(into, extra *wire.Map, field string) {
	v, _ := extra.Get(field)
	m, ok := v.(*wire.Map)
	if !ok && !empty(v) {
		s.fault = fmt.Errorf("%s is not a mapping", field)
	}
	m.Range(func(k, v any) bool {
		name, ok := k.(string)
		if err := plain(field, v); err != nil {
			s.fault = err
		} else if !ok {
			s.fault = fmt.Errorf("%s has a name that is not text", field)
		}
		into.Set(name, v)
		return true
	})
}

// empty reports whether minions treat a value as absent.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case *wire.Map:
		return v.Len() == 0
	}
	return false
}

// settingsFault returns what is wrong with a rule for returners or executors.
func (r *rule) settingsFault() error {
	if r.special != returnersRule && r.special != executorsRule {
		return nil
	}
	for _, f := range r.funs {
		for _, a := range f.with {
			if len(a.args) > 0 {
				return fmt.Errorf("@%s: settings have names: write kwargs, not args", r.special)
			}
		}
	}
	return nil
}

// JudgeSettings reports whether rules allow the settings of a job, and why. Settings need rules of
// their own: @returners and @executors, alone or with names.
func (l *List) JudgeSettings(rules []any, s Settings) verdict.Verdict {
	v := verdict.Verdict{Allowed: true}
	if len(rules) == 0 || l.open {
		return v
	}
	if s.fault != nil {
		return verdict.Verdict{Reason: s.fault.Error()}
	}
	parsed := l.reader().rules(rules)
	for _, x := range []struct {
		word, what string
		names      []string
		options    *wire.Map
	}{
		{returnersRule, "returner", s.Returners, s.ReturnerOptions},
		{executorsRule, "executor", s.Executors, s.ExecutorOptions},
	} {
		names := x.names
		if len(names) == 0 && x.options.Len() > 0 {
			names = []string{""} // those of the minions themselves
		}
		for _, name := range names {
			c := verdict.Call{Fun: x.what + " " + name}
			if name == "" {
				c.Fun = "options of the minions' own " + x.what + "s"
			}
			for i := range parsed {
				say := verdict.Rule{Text: parsed[i].text, Why: parsed[i].setting(x.word, name, x.options)}
				say.Allowed = say.Why == ""
				c.Rules = append(c.Rules, say)
				if c.Allowed = say.Allowed; c.Allowed {
					break
				}
			}
			v.Calls = append(v.Calls, c)
			v.Allowed = v.Allowed && c.Allowed
		}
	}
	return v
}

// setting returns why a rule does not allow a returner or an executor with options, or "". A name alone
// allows no options.
func (r *rule) setting(word, name string, options *wire.Map) string {
	switch {
	case r.fault != nil:
		return "it cannot be understood: " + r.fault.Error()
	case r.special != word:
		return "it is not for " + word
	case r.funs == nil:
		return ""
	case name == "":
		return "it names " + word + ", and the options are for those that each minion has"
	}
	fits, why := false, ""
	for _, f := range r.funs {
		if !(pattern{expr: f.fun}).match(name) {
			continue
		}
		fits = true
		with := f.with
		if len(with) == 0 {
			with = []argRule{{}}
		}
		if slices.ContainsFunc(with, func(a argRule) bool { why = a.beyond(options); return why == "" }) {
			return ""
		}
	}
	if !fits {
		return "it is for other " + word
	}
	return "it is for other options: " + why
}

// beyond returns an option that a rule does not allow, or "". The rule must name each option; options
// that it names may be absent.
func (a argRule) beyond(options *wire.Map) (why string) {
	options.Range(func(k, v any) bool {
		name, _ := k.(string)
		if p, ok := a.kwargs[name]; ok {
			why = p.lacks(name, functions.Judged{Texts: []string{functions.Text(v)}}, true)
		} else {
			//mutant:access-returner-options
			why = "the rule does not name " + name
		}
		return why == ""
	})
	return why
}
