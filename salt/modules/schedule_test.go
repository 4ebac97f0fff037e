package modules

import "testing"

// The results are those of Salt 3006.27 for the same calls.
func TestSchedule_BuildItem(t *testing.T) {
	item := func(kv m) m {
		out := m{"function": "test.ping", "hours": int64(1), "maxrunning": int64(1), "name": "b", "enabled": true, "jid_include": true}
		for k, v := range kv {
			out[k] = v
		}
		return out
	}
	build := func(kv ...any) []any {
		return []any{"b", kw(append([]any{"function", "test.ping", "hours", int64(1)}, kv...)...)}
	}
	const fun = "schedule.build_schedule_item"
	calls(t, newEnv(), []callCase{
		{fun, build(), item(nil)},
		{fun, build("jid_include", false), item(m{"jid_include": false})},
		{fun, build("enabled", false, "maxrunning", int64(3)), item(m{"enabled": false, "maxrunning": int64(3)})},
	})
}
