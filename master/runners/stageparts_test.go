package runners

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/datacache"
)

// kept is the cached minion data of a stage: by minion, and the nodes that do not answer.
type kept struct {
	minions map[string]*wire.Map // grains and pillar
	away    map[string]string
	off     bool // minion_data_cache: False
}

// subject is a minion of it for a target.
type subject struct {
	id string
	d  *wire.Map
}

func (s subject) ID() string { return s.id }
func (s subject) Grains() any {
	v, _ := s.d.Get("grains")
	return v
}

func (s subject) Pillar() any {
	v, _ := s.d.Get("pillar")
	return v
}

func (s *stage) Known(_ context.Context, k Known) (map[string]*wire.Map, map[string]string, error) {
	expr, err := target.Parse(k.Tgt, k.TgtType, target.Options{})
	if err != nil {
		return nil, nil, err
	}
	out := map[string]*wire.Map{}
	for id, d := range s.kept.minions {
		if !expr.Match(subject{id, d}) {
			continue
		}
		out[id] = wire.NewMap()
		for _, part := range []string{"grains", "pillar", "resources"} {
			v, has := d.Get(part)
			switch {
			case part == "grains" && !k.Grains || part == "pillar" && !k.Pillar || part == "resources" && !k.Resources || !has:
			case k.Clear:
				d.Delete(part)
				out[id].Set("cleared", true)
			default:
				out[id].Set(part, v)
			}
		}
	}
	return out, s.kept.away, s.err
}

func (s *stage) Bank() Bank { return datacache.OpenBanks(s.dir) }

func (s *stage) Fire(tag string, data *wire.Map) error {
	if strings.HasPrefix(tag, "salt/") {
		return errors.New("not yours to say")
	}
	s.asked = append(s.asked, fmt.Sprintf("fired %s %v", tag, data.Keys()))
	return nil
}

func (s *stage) Options() map[string]any {
	return map[string]any{
		"timeout": int64(5), "mysql.pass": "**********", "file_roots": map[string]any{"base": []any{"/srv/salt", "/srv/more"}},
		"list": []any{map[string]any{"a": int64(1)}, map[string]any{"b": map[string]any{"c": "deep"}}}, "off": false,
		"minion_data_cache": !s.kept.off,
	}
}

func (s *stage) MakeToken(_ context.Context, l Login, life time.Duration) (*wire.Map, error) {
	if l.Password != "right" {
		return nil, errors.New("auth.mk_token: the login was refused")
	}
	return wire.NewMap("token", "abc", "name", l.Username, "eauth", l.Eauth, "life", life.Seconds()), nil
}

func (s *stage) DeleteToken(_ context.Context, id string) (bool, error) { return id == "abc", nil }

func (s *stage) AtWork() []AtWork {
	return []AtWork{
		{JID: "20240101000000000023", Fun: "test.sleep", User: "root", Args: []any{int64(3)}},
		{JID: "20240101000000000022", Fun: "state.event", User: "fred"},
	}
}

// stagedEvents is the sequence of events on the bus of a stage.
var stagedEvents = []struct{ tag, data string }{
	{"my/tag", `{"b": 1, "a": {"y": 2, "x": [{"q": null, "p": "é"}]}}`},
	{"salt/run/20240101000000000001/print", `{"text": "of another"}`},
	{"my/two", `{"id": "web-01"}`},
	{"salt/job/1/ret/a", `{}`},
	{"my/three", `{}`},
}

func (s *stage) Listen(ctx context.Context, heard func(tag string, data *wire.Map) bool) error {
	for _, e := range stagedEvents {
		raw, err := wire.FromJSON([]byte(e.data))
		if err != nil {
			return err
		}
		data, err := wire.DecodeMap(raw)
		if err != nil {
			return err
		}
		if !heard(e.tag, data) {
			return ctx.Err()
		}
	}
	return errors.New("the bus has ended")
}

func (s *stage) Endless() bool { return s.endless }
