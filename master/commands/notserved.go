package commands

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/meters"
	"github.com/momtree/mom/master/server"
)

// notServed are the commands this master knows and does not serve: what each is for, and
// the answer. Salt's minion shows its user what it can of that (Salt wire reference §8.2):
// the texts for the mine and for publish as results. Where it can show nothing, the
// answer is Salt's for "not permitted", with which it goes on: an error would be taken for
// a broken connection.
var notServed = []struct {
	cmd, what string
	answer    func(d *wire.Map) any
}{
	{"_master_tops", tops, emptied},
	{"_ext_nodes", tops, emptied},
	{"_mine", mine, refuse},
	{"_mine_get", mine, func(*wire.Map) any { return says("the mine") }},
	{"_mine_delete", mine, refuse},
	{"_mine_flush", mine, refuse},
	// The minion asks for the results of the job that it is told of here, and shows
	// them by minion.
	{"minion_pub", publish, func(*wire.Map) any {
		return wire.NewMap("jid", unservedJob, "minions", []any{unservedName})
	}},
	{"pub_ret", publish, func(d *wire.Map) any {
		if d.String("jid") != unservedJob {
			return wire.NewMap()
		}
		return wire.NewMap(unservedName, wire.NewMap("ret", says(publish)))
	}},
	{"minion_publish", publish, func(*wire.Map) any { return wire.NewMap(unservedName, says(publish)) }},
	{"minion_runner", "publish.runner", func(*wire.Map) any { return says("publish.runner") }},
	{"verify_minion", "verify_minion", blank},
}

const (
	mine    = "mine"
	tops    = "master_tops"
	publish = "publish.publish"
)

const (
	// unservedJob is the jid of no job, and unservedName the id of no minion: a
	// blank is not allowed there.
	unservedJob  = "00000000000000000000"
	unservedName = "the master"
)

func emptied(*wire.Map) any { return wire.NewMap() }
func blank(*wire.Map) any   { return "" }
func refuse(*wire.Map) any  { return false }

func says(what string) string {
	return "ERROR: " + what + " is not served by this master (mom)"
}

func init() {
	for _, c := range notServed {
		Register(server.Command{Name: c.cmd, Who: server.Peer, Doc: "Not served: " + c.what + "."}, func(p *Parts) server.Handler {
			return refused{c.what, c.answer, p.Unserved, p.Stats}.serve
		})
	}
}

// refused is a command that is not served.
type refused struct {
	what     string
	answer   func(d *wire.Map) any
	unserved *Unserved
	stats    *meters.Counters
}

func (c refused) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("%s of %q: %w", r.Cmd, r.ID, err)
	}
	about, _ := d.Get("path")
	if about == nil {
		about, _ = d.Get("fun")
	}
	text, _ := about.(string)
	c.stats.Refused.Add(1)
	c.unserved.Note(c.what, r.Cmd, r.ID, text)
	return c.answer(d), nil
}
