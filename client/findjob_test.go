package client

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// likeSalt lets the fake master answer as a Python master does: with the minions, and without nodes.
// Minions that run the job say so once, then return.
func (m *fakeMaster) likeSalt(running ...string) {
	rounds := 0
	m.change(func() {
		m.answer = func(load *wire.Map) any {
			ids := []any{"web-1", "web-2"}
			jid := jobID
			switch load.String("fun") {
			case "saltutil.find_job":
				rounds++
				jid, ids = "20260301120000000009", load.List("tgt")
				for _, v := range ids {
					id := v.(string)
					var runs any = wire.NewMap()
					if rounds == 1 && slices.Contains(running, id) {
						runs = wire.NewMap("jid", jobID)
						defer m.returns(id, true)
					}
					m.fire("salt/job/"+jid+"/ret/"+id, "id", id, "jid", jid, "return", runs, "retcode", 0)
				}
			case "jobs.list_job":
				results := wire.NewMap("web-1", wire.NewMap("return", "one", "retcode", 2, "out", "txt"), "web-2", wire.NewMap("return", "two", "success", true), "web-3", 1)
				m.fire("salt/run/"+jid+"/ret", "success", true, "return", wire.NewMap("Function", "x.y", "Result", results))
				return wire.NewMap("jid", jid, "tag", "salt/run/"+jid)
			default:
				m.returns("web-1", true)
			}
			return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", jid, "minions", ids, "missing", []any{}))
		}
	})
}

// hasty is a client of a master with short timeouts.
func hasty(o *Options) {
	o.conf = &config.Master{}
	o.conf.Timeout, o.conf.GatherJobTimeout, o.conf.SyndicWait = time.Millisecond, 50*time.Millisecond, time.Second
}

func TestFollowAtPythonMaster(t *testing.T) {
	for name, running := range map[string][]string{"both return": {"web-2"}, "one is missing": nil} {
		t.Run(name, func(t *testing.T) {
			m := startMaster(t)
			m.likeSalt(running...)
			c := m.client(hasty)
			o, err := c.Run(within(t), ping("*"))
			if err != nil || !o.Account.Judged || o.Account.Returned != 1+len(running) || o.Account.Expected != 2 || o.ReportsEnd {
				t.Errorf("%+v, %v", o, err)
			}
			found := m.seen()[1]
			if found.String("fun") != "saltutil.find_job" || found.String("tgt_type") != "list" || !slices.Equal(found.Strings("tgt"), []string{"web-2"}) ||
				!slices.Equal(found.Strings("arg"), []string{jobID}) || found.Int("timeout") != 1 {
				t.Errorf("%v", found)
			}
		})
	}
}

func TestWaits(t *testing.T) {
	if w := (&Client{}).waits(&Job{}); w != saltWaits {
		t.Errorf("%+v", w)
	}
	var o Options
	hasty(&o)
	o.conf.OrderMasters = true
	if w := (&Client{o: o}).waits(&Job{Timeout: time.Minute}); w != (waits{time.Minute, 50 * time.Millisecond, time.Second}) {
		t.Errorf("%+v", w)
	}
}

func TestStoredReturnsOfPythonMaster(t *testing.T) {
	m := startMaster(t)
	m.likeSalt()
	rets, err := m.client().storedReturns(within(t), jobID)
	if err != nil || len(rets) != 2 {
		t.Fatalf("%v, %v", rets, err)
	}
	for i, want := range []Return{{ID: "web-1", Retcode: 2, Out: "txt", Value: rets[0].Value}, {ID: "web-2", Success: true, Value: rets[1].Value}} {
		want.JID, want.Fun = jobID, "x.y"
		if r := *rets[i]; r.ID != want.ID || r.Retcode != want.Retcode || r.Out != want.Out || r.Success != want.Success || r.Fun != want.Fun || r.JID != want.JID {
			t.Errorf("%+v", r)
		}
	}
	if rets[0].Value.String() != `"one"` {
		t.Errorf("%v", rets[0].Value)
	}
}

func TestNoBatchesOfPythonMaster(t *testing.T) {
	m := startMaster(t)
	m.likeSalt()
	_, err := m.client(hasty).StartBatch(within(t), ping("*"), Batch{Size: "1"})
	if !errors.Is(err, ErrNotReported) || !strings.Contains(err.Error(), "omit --async") {
		t.Errorf("%v", err)
	}
}

// All rounds of a batch have one job id at a Python master too.
func TestBatchAtPythonMaster(t *testing.T) {
	m := startMaster(t)
	var n atomic.Int32
	m.answer = func(load *wire.Map) any {
		jid := load.String("jid")
		if number := n.Add(1); jid == "" {
			jid = "2026030112000000000" + string('0'+number)
		}
		ids := load.Strings("tgt")
		if len(ids) == 0 {
			ids = []string{"web-1", "web-2", "web-3"}
		}
		m.fire("salt/job/"+jid+"/new", "jid", jid, "minions", ids)
		for _, id := range ids {
			m.fire("salt/job/"+jid+"/ret/"+id, "id", id, "jid", jid, "return", true, "retcode", 0, "fun", "x.y", "success", true)
		}
		return wire.NewMap("load", wire.NewMap("jid", jid, "minions", ids, "missing", []any{}))
	}
	b, err := m.client(hasty).Batch(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, Batch{Size: "2"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	jobs := map[string]bool{}
	for {
		u, err := b.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if u.Started != "" {
			jobs[u.Started] = true
		}
		if u.Ended != nil {
			if u.Ended.Returned != 3 || u.Ended.Expected != 3 || len(u.Ended.Missing) != 0 || len(jobs) != 1 {
				t.Errorf("%+v, jobs %v", u.Ended, jobs)
			}
			return
		}
	}
}
