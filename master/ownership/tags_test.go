package ownership

import (
	"strings"
	"testing"
)

const tagJob = "20240102030405678901"

// Minions may fire the tags of Salt's own code, and those that sites choose.
func TestMayFire_Accepted(t *testing.T) {
	for _, tag := range []string{
		"custom/tag", "deploy", "my/own/salt/auth", "myco/key/rotated", "authorized", "hook/x", "salted/x", "salt/custom/x", "salt/minions/x",
		"minion_start", "minion_ping", "salt/minion/m1/start", "salt/proxy/m1/start", "salt/beacon/m1/load/", "salt/beacon/m1/inotify//etc/passwd",
		"_salt_error", "fire_master", "grains_refresh", "__master_failback", "junos_rpc_reply/m1", "minion/refresh/m1",
		"salt/job/" + tagJob + "/prog/m1/0", "salt/job/" + tagJob + "/sub/m1/x", "salt/job/" + tagJob + "/start/m1", "salt/job/" + tagJob + "/unsaved/m1",
		"salt/state_result/" + tagJob + "/m1/name of a state", "salt/state_result/" + tagJob + "/m1/echo a\nid", "salt/state_result/req/m1/x",
		strings.Repeat("t", maxTag),
	} {
		if err := mayFire("m1", tag, nil); err != nil {
			t.Errorf("m1 may not fire %q: %v", tag, err)
		}
	}
	if err := mayFire("Web1", "salt/minion/Web1/start", nil); err != nil {
		t.Error(err)
	}
}

// Refused are tags of masters, tags about other minions, and tags that look like those.
func TestMayFire_Refused(t *testing.T) {
	for _, tag := range []string{
		"salt/minion/m2/start", "salt/minion/", "salt/minion/M1/start", "salt/minion/m1 /start", "salt/minion//m1/start", "salt/proxy/m2/start",
		"salt/beacon/m2/load/", "minion/refresh/m2",
		"salt/job/" + tagJob + "/ret/m1", "salt/job/" + tagJob + "/ret/m2/prog/m1", "salt/job/" + tagJob + "/ret/prog/m1/0", "salt/job/" + tagJob + "/prog/m2/0",
		"salt/job/" + tagJob + "/start/m2", "salt/job/" + tagJob + "/unsaved/m2", "salt/job/" + tagJob + "/start/", "salt/job/" + tagJob + "/start/m1/x",
		"salt/job/" + tagJob + "/complete", "salt/job/" + tagJob + "/new", "salt/job/x", "salt/job", "salt/job/", tagJob, tagJob + "\n",
		"salt/state_result/" + tagJob + "/m2/x", "salt/state_result/" + tagJob, "salt/state_result/" + tagJob + "//m1/x", "Salt/State_Result/" + tagJob + "/m2/x",
		"key", "KEY", "key ", "auth", "new_job", "syndic_start", "/syndic_start",
		"salt/key", "salt/key/", "SALT/key", "salt//key", "salt/key\n", "salt/keys", "salt/auth", "salt/auth/x", "salt/run/1/ret", "salt/wheel/1/ret",
		"salt/netapi/hook/deploy", "salt/netapi/hook", "salt/netapi/hookx", "salt/netapi/x", "salt/event/exit", "salt/event/new_client",
		"mom/audit", "mom/api/end", "mom/job/complete", "mom/anything", "topology/x", "syndic/n1/x", "salt/syndic/n1/start", "salt/presence/present",
		"salt/engines/hook/x", "salt/cloud/x", "salt/batch/1/start", "salt/fileserver/gitfs/update", "salt/master/x", "salt/stats/x", "salt/queue/x", "salt/reactors/loop",
		"a\x00b", "a\x1b[2J", "a\x7f", "a\u0085b", "salt/ke\u200by", "a\xff", strings.Repeat("t", maxTag+1),
	} {
		if mayFire("m1", tag, nil) == nil {
			t.Errorf("m1 may fire %q", tag)
		}
	}
}

// minion_event_tags lets minions fire tags of services only.
func TestMayFire_EventTags(t *testing.T) {
	globs := []string{"salt/engines/*", "salt/netapi/*", "mom/*", "salt/job/*", "key", "salt/minion/*"}
	if err := mayFire("m1", "salt/engines/docker_events/start", globs); err != nil {
		t.Error(err)
	}
	for _, tag := range []string{"salt/cloud/x", "salt/netapi/hook", "mom/audit", "salt/job/x/new", "key", "salt/minion/m2/start"} {
		if mayFire("m1", tag, globs) == nil {
			t.Errorf("m1 may fire %q", tag)
		}
	}
}
