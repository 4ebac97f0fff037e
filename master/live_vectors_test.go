package master

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// Recorded requests of real minions and a real syndic: each is acknowledged, and fires the events
// that Salt's master fired.
func TestLiveRequestsAgainstSalt(t *testing.T) {
	type row struct {
		Outer struct {
			Version int
			ID      string
		}
		Key     string `json:"key_string"`
		Load    map[string]any
		Request []byte
		Reply   []byte
	}
	for _, version := range []string{"v2", "v3"} {
		t.Run(version, func(t *testing.T) {
			v := readVectors[struct{ Rows []row }](t, "live_"+version+"_requests.json")
			rec := readVectors[struct {
				Top []struct {
					Tag  string
					Data map[string]any
				}
			}](t, "live_"+version+"_events.json")
			r := newRig(t, func(c *config.Master) { c.MinimumAuthVersion, c.OrderMasters = 0, true })
			r.accept("m1", "minion")
			r.accept("syndic-1", "syndic")
			var current string
			r.open()
			r.serve()
			events := r.events()
			for _, x := range v.Rows {
				if x.Request == nil {
					continue // contains the grains of a machine
				}
				if x.Outer.Version >= 3 {
					if _, err := r.keys.Sessions.Current(x.Outer.ID); err != nil {
						r.session(x.Outer.ID, x.Key, time.Now())
					}
				} else if x.Key != current {
					current = x.Key
					r.secret(current)
				}
				nonce, _ := x.Load["nonce"].(string)
				value, ok := openReply(t, r.ask(x.Request), x.Key, nonce)
				if !ok || value != nil {
					t.Errorf("%v: answered by %v, encrypted %v", x.Load["cmd"], value, ok)
				}
			}
			returns := 0
			for _, e := range rec.Top {
				if strings.Contains(e.Tag, "/ret/") {
					returns++
				}
			}
			var got []bus.Event
			waiting.Became(waiting.Patience, func() bool { // a return is acknowledged before its event is fired
				got = events.rest()
				count := 0
				for _, e := range got {
					if strings.Contains(e.Tag, "/ret/") {
						count++
					}
				}
				return count >= returns
			})
			checkLive(t, r, got, rec.Top)
		})
	}
}

func checkLive(t *testing.T, r *rig, got []bus.Event, want []struct {
	Tag  string
	Data map[string]any
},
) {
	t.Helper()
	type event struct {
		tag  string
		data map[string]any
	}
	var have []event
	for _, e := range got {
		d, err := wire.Decode(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := plain(t, d).(map[string]any)
		have = append(have, event{e.Tag, m})
	}
	n := 0
	for _, e := range want {
		// Events caused by requests of this file. Salt's own publications, sign-ins and pillars are
		// covered by other tests.
		ret := strings.Contains(e.Tag, "/ret/")
		if !ret && !strings.Contains(e.Tag, "_start") && !strings.HasSuffix(e.Tag, "/start") && !strings.HasPrefix(e.Tag, "syndic/") {
			continue
		}
		if strings.HasPrefix(e.Tag, "syndic/") {
			delete(e.Data, "mom")
		}
		delete(e.Data, "_stamp")
		i := slices.IndexFunc(have, func(h event) bool { return h.tag == e.Tag && contains(h.data, e.Data) })
		if i < 0 {
			t.Errorf("no event %s with %v", e.Tag, e.Data)
			continue
		}
		have = slices.Delete(have, i, i+1)
		n++
		if ret {
			checkStored(t, r, e.Data)
		}
	}
	if n < 12 {
		t.Errorf("only %d events were compared", n)
	}
}

// checkStored looks for a return in the job store.
func checkStored(t *testing.T, r *rig, data map[string]any) {
	t.Helper()
	job, _ := data["jid"].(string)
	rets, err := r.store.Local().GetReturns(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	for _, ret := range rets {
		if ret.ID == data["id"] {
			if got := decoded(t, ret.Value); !cmp.Equal(got, data["return"]) {
				t.Errorf("job %s, minion %s: stored %v, want %v", job, ret.ID, got, data["return"])
			}
			return
		}
	}
	t.Errorf("job %s: no return of %v in the store", job, data["id"])
}
