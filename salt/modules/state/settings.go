package state

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// masterless reports whether a run uses files and options of this host.
func masterless(env modules.Env) bool {
	return pyfmt.Truth(env.Option("local")) || env.Option("file_client") == "local"
}

// settings are the options for compiling states: the master's (_master_opts, protocol.md
// §8), or without a master the minion's.
type settings struct {
	env    modules.Env
	master *value.Map // nil without a master
}

func settingsOf(ctx context.Context, env modules.Env) (settings, error) {
	s := settings{env: env}
	if masterless(env) {
		return s, nil
	}
	v, err := env.Ask(ctx, value.NewMap("cmd", "_master_opts", "saltenv", env.Option("saltenv"), "id", env.Option("id")))
	if err != nil {
		return s, fmt.Errorf("options of the master: %w", err)
	}
	m, ok := v.(*value.Map)
	if !ok {
		return s, fmt.Errorf("options of the master: got %T, not a map", v)
	}
	s.master = m
	return s, nil
}

// Get returns the master's option, or the minion's if the master does not send it.
func (s settings) Get(name string) any {
	if v, ok := s.master.Get(name); ok {
		return v
	}
	return s.env.Option(name)
}

// Option returns the master's option; without a master the minion's.
func (s settings) Option(name string) any {
	if s.master == nil {
		return s.env.Option(name)
	}
	v, _ := s.master.Get(name)
	return v
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// whole returns an integer option; 0 if it is not an integer.
func whole(v any) int64 {
	n, _ := v.(int64)
	return n
}

// texts returns a list of strings; a single string becomes a list of one.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case []string:
		return v
	}
	return nil
}

// top returns the path of the top file.
func (s settings) top() string {
	t := text(s.Option("state_top"))
	t = strings.TrimPrefix(t, "salt://")
	if t = strings.TrimPrefix(t, "/"); t == "" {
		return "top.sls"
	}
	return t
}

// nodegroups returns the nodegroups that the top file may name.
func (s settings) nodegroups() map[string]any {
	out := map[string]any{}
	switch m := s.Option("nodegroups").(type) {
	case *value.Map:
		m.Range(func(k, v any) bool {
			if name, ok := k.(string); ok {
				out[name] = v
			}
			return true
		})
	case map[string]any:
		return m
	}
	return out
}

func asMap(v any) *value.Map {
	switch m := v.(type) {
	case *value.Map:
		return m
	case map[string]any:
		out := value.NewMap()
		for k, v := range m {
			out.Set(k, v)
		}
		return out
	}
	return nil
}
