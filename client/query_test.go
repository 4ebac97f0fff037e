package client

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// Query uses a command of its own, and the runner at a master that does not know it.
func TestQuery(t *testing.T) {
	m := startMaster(t)
	m.answer = func(load *wire.Map) any {
		return wire.NewMap("return", wire.NewMap("id", "top"), "success", true)
	}
	v, err := m.client().Query(within(t), RunnerCall{Fun: "topology.tree", Args: []any{"x"}})
	if err != nil || v.String() != `{"id": "top"}` {
		t.Errorf("%v, %v", v, err)
	}
	if sent := m.seen(); len(sent) != 1 || sent[0].String("cmd") != "query" || sent[0].Map("kwarg").List("arg")[0] != "x" {
		t.Errorf("sent %#v", sent)
	}
	m.change(func() {
		m.answer = func(*wire.Map) any { return wire.NewMap("return", []any{"half"}, "success", false, "reason", "boom") }
	})
	var failed *RunnerError
	if _, err = m.client().Query(within(t), RunnerCall{Fun: "x.y"}); !errors.As(err, &failed) || failed.Reason != "boom" || failed.Value.String() != `["half"]` {
		t.Errorf("%+v", err)
	}
	m.change(func() {
		m.answer = func(load *wire.Map) any {
			if load.String("cmd") == "query" {
				return wire.NewMap() // as a Python master answers
			}
			m.fire(runTag+"/ret", "return", "done", "success", true)
			return wire.NewMap("tag", runTag, "jid", jobID)
		}
	})
	if v, err = m.client().Query(within(t), RunnerCall{Fun: "x.y"}); err != nil || v.String() != `"done"` {
		t.Errorf("%v, %v", v, err)
	}
}
