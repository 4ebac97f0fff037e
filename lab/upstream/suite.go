package upstream

// Suite is a folder of Salt's tests that is run as one.
type Suite struct {
	Name  string
	Paths []string // below tests/pytests
	Casts []string // names of casts; empty: all but "python below" and "3008 below"
	New   bool     // of Salt 3008: older ones have no such tests
}

// Suites returns every suite, in the order of the page.
func Suites() []Suite {
	integration := func(names ...string) (s []Suite) {
		for _, n := range names {
			s = append(s, Suite{Name: n, Paths: []string{"integration/" + n}})
		}
		return s
	}
	all := []string{"python minion", "all mom", "python below", "3008 below"}
	cli := Suite{Name: "cli"} // without those of salt-proxy and pip, which are Salt's own
	for _, n := range []string{"batch", "matcher", "salt", "salt_auth", "salt_call", "salt_call_ownership", "salt_cp", "salt_key", "salt_master", "salt_minion", "salt_run", "salt_syndic"} {
		cli.Paths = append(cli.Paths, "integration/cli/test_"+n+".py")
	}
	runners := Suite{Name: "runners"} // without those of vault, which needs a server
	for _, n := range []string{"test_cache.py", "test_jobs.py", "test_manage.py", "test_nacl.py", "test_saltutil.py", "state"} {
		runners.Paths = append(runners.Paths, "integration/runners/"+n)
	}
	minion := Suite{Name: "minion"} // the last stops the master that all share, and when it fails the master stays away
	for _, n := range []string{"job_return", "process_name", "process_queue", "reauth", "schedule_large_event", "start_event", "startup_states", "return_retries"} {
		minion.Paths = append(minion.Paths, "integration/minion/test_"+n+".py")
	}
	return append(append([]Suite{cli, {Name: "eauth", Paths: []string{"integration/cli/test_syndic_eauth.py"}}, runners}, integration("netapi", "wheel", "client", "reactor", "master")...),
		minion,
		Suite{Name: "modules", Paths: []string{
			"integration/modules/test_cmdmod.py", "integration/modules/test_config.py", "integration/modules/test_cp.py", "integration/modules/test_event.py",
			"integration/modules/test_file.py", "integration/modules/test_jinja.py", "integration/modules/test_pillar.py", "integration/modules/test_state.py",
			"integration/modules/test_test.py", "integration/modules/grains", "integration/modules/saltutil", "integration/modules/state",
		}},
		Suite{Name: "states", Paths: []string{
			"integration/states/test_cron.py", "integration/states/test_file.py", "integration/states/test_include.py", "integration/states/test_state_test.py",
		}},
		Suite{Name: "syndic", Paths: []string{"scenarios/syndic"}, Casts: all},
		Suite{Name: "failover", Paths: []string{"scenarios/failover"}},
		Suite{Name: "multimaster", Paths: []string{"scenarios/multimaster"}},
		Suite{Name: "reauth", Paths: []string{"scenarios/reauth"}},
		Suite{Name: "swarm", Paths: []string{"scenarios/swarm"}},
		Suite{Name: "content", Paths: []string{
			"integration/pillar", "integration/renderers", "integration/grains", "integration/loader", "integration/utils", "integration/executors",
			"integration/_logging",
		}},
		Suite{Name: "blackout", Paths: []string{"scenarios/blackout"}},
		Suite{Name: "queue", Paths: []string{"scenarios/queue"}},
		old("modules", "mine", "publish", "hosts", "git", "cmdmod", "cp", "config", "file", "test", "disk", "key", "status", "timezone", "sysctl", "linux_shadow", "groupadd"),
		old("states", "match", "handle_error", "host", "ssh_known_hosts", "ssh_auth", "renderers", "compiler", "cmd", "handle_iorder", "git", "alternatives", "archive"),
		old("shell", "arguments", "master_tops"),
		old("master", "event_return"),
		old("output", "output"),
		old("runners", "fileserver"),
		Suite{Name: "batch", New: true, Paths: []string{"integration/cli/test_batch_options.py"}},
		Suite{Name: "match", New: true, Paths: []string{"integration/runners/test_match.py", "integration/runners/test_mine.py"}},
		Suite{Name: "manage", New: true, Paths: []string{"integration/runners/test_manage_status.py"}},
		Suite{Name: "auth-events", New: true, Paths: []string{"integration/events/test_auth_events.py"}},
		Suite{Name: "peer", New: true, Paths: []string{"integration/master/test_peer.py", "integration/master/test_ipc_perms.py"}},
		Suite{Name: "resources", New: true, Paths: []string{"integration/resources"}, Casts: []string{"python minion", "salt"}}, // mom's minion manages none
	)
}

// old returns a suite of the tests that Salt has not moved to tests/pytests.
func old(folder string, tests ...string) Suite {
	s := Suite{Name: "old-" + folder}
	for _, t := range tests {
		s.Paths = append(s.Paths, "../integration/"+folder+"/test_"+t+".py")
	}
	return s
}

// In reports whether the suite runs with a cast.
func (s Suite) In(cast string) bool {
	if len(s.Casts) == 0 {
		return cast != "python below" && cast != "3008 below"
	}
	for _, c := range s.Casts {
		if c == cast {
			return true
		}
	}
	return false
}
