package master

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	_ "github.com/momtree/mom/returners/rawfile"
	"github.com/momtree/mom/topology"
)

// The tree shows ignored configuration entries, whether found by the file reader or by the part
// that uses them.
func TestTree_EntriesThatCannotBeUnderstood(t *testing.T) {
	for name, set := range map[string]func(*config.Master){
		"publisher_acl": func(c *config.Master) { c.PublisherAcl = map[string]any{"fred": []any{"test.("}} },
		"peer":          func(c *config.Master) { c.Peer = map[string]any{"m1": []any{int64(1)}} },
		"external_auth": func(c *config.Master) { c.ExternalAuth = map[string]any{"ldap": "hello"} },
		"mine_get":      func(c *config.Master) { c.MineGet = map[string]any{"m1": "x"} },
		"schedule":      func(c *config.Master) { c.Schedule = map[string]any{"a": "hello"} },
		"nodegroups":    func(c *config.Master) { c.LeftOut = []string{"master:3: option nodegroups: group web"} },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, set)
			r.start()
			r.reportProblems()
			problems := r.Master.Snapshot().Problems
			if len(problems) != 1 || problems[0].Kind != topology.Degraded || !strings.Contains(problems[0].Detail, "option "+name) {
				t.Errorf("%+v", problems)
			}
		})
	}
}

// The tree shows returns that a returner on the minion did not save, with the last reason.
func TestTree_UnsavedReturns(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	const jid = "20260102030405678901"
	for _, why := range []string{"returner mysql: no database", "returner redis: no route"} {
		m.must(wire.NewMap("cmd", "_minion_event", "tag", "salt/job/"+jid+"/unsaved/m1", "data", wire.NewMap("err", why)))
	}
	r.reportProblems()
	problems := r.Master.Snapshot().Problems
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, "2 returns in the last hour") || !strings.Contains(problems[0].Detail, "redis: no route") {
		t.Errorf("%+v", problems)
	}
}

// The tree shows a returner of event_return that cannot store, until it can; and lost events.
func TestTree_EventsNotStored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no", "events")
	r := newRig(t, func(c *config.Master) {
		c.EventReturn, c.EventReturnWhitelist = []string{"rawfile_json"}, []string{"my/*"}
		c.Raw = map[string]any{"rawfile_json.filename": file}
	})
	r.start()
	r.fire("my/event", wire.NewMap("n", 1))
	shows := func(part string) func() bool {
		return func() bool {
			r.reportProblems()
			all := r.Master.Snapshot().Problems
			if part == "" {
				return len(all) == 0
			}
			return len(all) == 1 && all[0].Kind == topology.Degraded && strings.Contains(all[0].Detail, part)
		}
	}
	waiting.Until(t, "the tree shows why", shows("returner rawfile_json stores nothing, rows wait in the outbox: rawfile_json: open the file"))
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	waiting.Until(t, "the problem is gone", shows(""))
	b, err := os.ReadFile(file)
	if err != nil || strings.Count(string(b), "\n") != 1 || !strings.Contains(string(b), `"tag": "my/event"`) {
		t.Errorf("%q, %v", b, err)
	}
	r.store.LoseEvents(3, os.ErrClosed)
	waiting.Until(t, "the tree shows lost events", shows("3 events in the last hour lost for event_return; last: "))
}
