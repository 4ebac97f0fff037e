package scheduler

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/salt/pyfmt"
)

// The states in startup_states run once, when there is a master, which gets the result as that
// of a job that nobody has published.
func TestStartup(t *testing.T) {
	for _, c := range []struct {
		option, fun, args string
	}{
		{"highstate", "state.highstate", "[]"}, {"sls", "state.sls", "[['a', 'b.c']]"}, {"top", "state.top", "['other.sls']"}, {"yes", "state.highstate", "[]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, nil, func(o *config.Minion) {
				o.StartupStates, o.SlsList, o.TopFile, o.SchedulerBeforeConnect = c.option, []string{"a", "b.c"}, "other.sls", true
				o.ScheduleReturner = []string{"none"}
			})
			go s.run(t, time.Hour)
			time.Sleep(time.Minute)
			if strings.Contains(s.logged(), "startup_states") {
				t.Errorf("%s: it runs without a master:\n%s", c.option, s.logged())
			}
			a := s.join(t, "a")
			s.join(t, "b")
			time.Sleep(2 * time.Hour)
			got := a.returns()
			if len(got) != 1 || got[0].String("fun") != c.fun || pyfmt.Repr(got[0].List("fun_args")) != c.args || got[0].String("jid") != "req" ||
				!jid.IsOwn(got[0].String("mom_jid"), "m1") || got[0].Has("schedule") || got[0].String("cmd") != "_return" {
				t.Errorf("%s: %#v", c.option, got)
			}
			if strings.Contains(s.logged(), "returner") || len(s.events) > 0 {
				t.Errorf("%s: it is taken for a job of the schedule: %v\n%s", c.option, s.events, s.logged())
			}
		})
	}
}

// Without a master the states run if the files are local, otherwise a warning is logged.
func TestStartup_NoMaster(t *testing.T) {
	for _, c := range []struct{ files, want string }{{"local", "fun=state.highstate"}, {"remote", "startup_states ignored"}} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, nil, func(o *config.Minion) { o.StartupStates, o.MasterType, o.FileClient = "highstate", "disable", c.files })
			s.run(t, time.Minute)
			if !strings.Contains(s.logged(), c.want) {
				t.Errorf("%s: the log says\n%s", c.files, s.logged())
			}
		})
	}
}
