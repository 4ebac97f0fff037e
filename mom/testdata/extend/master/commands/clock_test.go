package commands

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/value"
)

func TestExtend_Clock(t *testing.T) {
	load, err := wire.Encode(value.NewMap("cmd", "_clock", "id", "web1", "mine", 1012.5))
	if err != nil {
		t.Fatal(err)
	}
	c := clock{func() time.Time { return time.Unix(1000, 0) }}
	v, err := c.serve(t.Context(), &server.Request{Cmd: "_clock", ID: "web1", Load: load})
	if m, ok := v.(*value.Map); err != nil || !ok || m.Float("ahead") != 12.5 {
		t.Errorf("%v, %v", v, err)
	}
}
