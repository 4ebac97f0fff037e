package master

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

// A batch that Salt's command leaves to the master is halted, so that nobody waits for it; one that
// the command itself drives, and one of a node below, are not touched.
func TestHandedBatchIsHalted(t *testing.T) {
	r := newRig(t).start()
	sub := r.bus.Subscribe(bus.SubscribeOptions{Prefix: "salt/batch/", Size: 64})
	defer sub.Close()
	const cli, below, handed = "20260102030405000001", "20260102030405000002", "20260102030405000003"
	for jid, driver := range map[string]string{cli: "cli", handed: "master"} {
		r.fire("salt/batch/"+jid+"/new", wire.NewMap("jid", jid, "driver", driver, "fun", "test.ping", "tgt", "*", "tgt_type", "glob", "user", "root"))
	}
	data, err := wire.Encode(wire.NewMap("jid", below, "driver", "master"))
	if err != nil {
		t.Fatal(err)
	}
	r.fireEvent(bus.Event{Tag: "salt/batch/" + below + "/new", Data: data, Origin: "node"})
	for {
		select {
		case e := <-sub.C():
			switch e.Tag {
			case "salt/batch/" + handed + "/halted":
				if d, err := e.Map(); err != nil || d.String("jid") != handed || d.String("reason") == "" || d.String("fun") != "test.ping" {
					t.Errorf("halted with %v, %v", d, err)
				}
				return
			case "salt/batch/" + cli + "/halted", "salt/batch/" + below + "/halted":
				t.Errorf("%s was fired", e.Tag)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the batch was not halted")
		}
	}
}

func TestHandedBatchTags(t *testing.T) {
	for tag, want := range map[string]string{
		"salt/batch/20260102030405000001/new":    "20260102030405000001",
		"salt/batch/20260102030405000001/halted": "",
		"salt/batch/../new":                      "",
		"salt/batch/20260102030405000001/x/new":  "",
	} {
		if got := handedBatch(tag); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}
