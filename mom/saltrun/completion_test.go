package saltrun

import "testing"

func TestTakesJID(t *testing.T) {
	for fun, want := range map[string]bool{"jobs.lookup_jid": true, "jobs.list_job": true, "topology.trace": true, "jobs.list_jobs": false, "manage.up": false, "no.such": false} {
		if takesJID(fun) != want {
			t.Errorf("%s: %v", fun, !want)
		}
	}
}
