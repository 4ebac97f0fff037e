package output

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

// ran is the return of a minion for the states in the transcripts.
func ran(id, key, name string, at int64, result any, comment string, took float64, changes *wire.Map) (string, *wire.Map) {
	return key, wire.NewMap("name", name, "result", result, "comment", comment, "__run_num__", at, "__id__", id, "__sls__", "x",
		"start_time", "23:31:16.216267", "duration", took, "changes", changes)
}

// TestHighstate compares with the output of a real salt, byte by byte: in full, in one line
// each, without unchanged states, in colours, and the reasons why states did not run.
func TestHighstate(t *testing.T) {
	m := wire.NewMap()
	add := func(k string, v *wire.Map) { m.Set(k, v) }
	add(ran("chg", "test_|-chg_|-chg_|-succeed_with_changes", "chg", 3, true, "Success!", 1.129,
		wire.NewMap("testing", wire.NewMap("old", "Unchanged", "new", "Something pretended to change"))))
	add(ran("ok_one", "test_|-ok_one_|-ok_one_|-succeed_without_changes", "ok_one", 0, true, "Success!", 1.005, wire.NewMap()))
	add(ran("demo_file", "file_|-demo_file_|-/etc/x_|-managed", "/etc/x", 1, nil, "It would be changed\nNote: nothing was", 0.8, wire.NewMap()))
	add(ran("bad_one", "test_|-bad_one_|-bad_one_|-fail_without_changes", "bad_one", 2, false, "Failure!", 0.799, wire.NewMap()))
	v := wire.NewMap("web-01", m)
	const (
		okOne = `----------
          ID: ok_one
    Function: test.succeed_without_changes
      Result: True
     Comment: Success!
     Started: 23:31:16.216267
    Duration: 1.005 ms
     Changes:   
`
		file = `----------
          ID: demo_file
    Function: file.managed
        Name: /etc/x
      Result: None
     Comment: It would be changed
              Note: nothing was
     Started: 23:31:16.216267
    Duration: 0.8 ms
     Changes:   
`
		bad = `----------
          ID: bad_one
    Function: test.fail_without_changes
      Result: False
     Comment: Failure!
     Started: 23:31:16.216267
    Duration: 0.799 ms
     Changes:   
`
		chg = `----------
          ID: chg
    Function: test.succeed_with_changes
      Result: True
     Comment: Success!
     Started: 23:31:16.216267
    Duration: 1.129 ms
     Changes:   
              ----------
              testing:
                  ----------
                  new:
                      Something pretended to change
                  old:
                      Unchanged
`
		sum = `
Summary for web-01
------------
Succeeded: 3 (unchanged=1, changed=1)
Failed:    1
------------
Total states run:     4
Total run time:   3.733 ms
`
		okLine   = "  Name: ok_one - Function: test.succeed_without_changes - Result: Clean - Started: 23:31:16.216267 - Duration: 1.005 ms\n"
		fileLine = "  Name: /etc/x - Function: file.managed - Result: Differs - Started: 23:31:16.216267 - Duration: 0.8 ms\n"
		badLine  = "  Name: bad_one - Function: test.fail_without_changes - Result: Failed - Started: 23:31:16.216267 - Duration: 0.799 ms\n"
		chgLine  = "  Name: chg - Function: test.succeed_with_changes - Result: Changed - Started: 23:31:16.216267 - Duration: 1.129 ms\n"
	)
	_, one := ran("ok", "", "ok", 0, true, "Success!", 1200.5, wire.NewMap())
	one.Set("warnings", []any{"the first warning", strings.Repeat("long ", 20)})
	one.Delete("start_time")
	for name, c := range map[string]struct {
		v    any
		o    Options
		want string
	}{
		"full":       {v, Options{}, "web-01:\n" + okOne + file + bad + chg + sum},
		"terse":      {v, Options{States: States{Output: "terse"}}, "web-01:\n" + okLine + fileLine + badLine + chgLine + sum},
		"terse_id":   {v, Options{States: States{Output: "terse_id"}}, "web-01:\n" + okLine + strings.ReplaceAll(fileLine, "/etc/x", "demo_file") + badLine + chgLine + sum},
		"mixed":      {v, Options{States: States{Output: "mixed"}}, "web-01:\n" + okLine + fileLine + bad + chgLine + sum},
		"changes":    {v, Options{States: States{Output: "changes"}}, "web-01:\n" + okLine + file + bad + chg + sum},
		"full_id":    {v, Options{States: States{Output: "full_id"}}, "web-01:\n" + okOne + strings.ReplaceAll(file, "        Name: /etc/x\n", "") + bad + chg + sum},
		"brief":      {v, Options{States: States{Brief: true}}, "web-01:\n" + file + bad + chg + sum},
		"diff":       {v, Options{States: States{Diff: true}}, "web-01:\n" + file + bad + chg + sum},
		"no states":  {wire.NewMap("m1", wire.NewMap()), Options{}, "m1:\n\nSummary for m1\n-----------\nSucceeded: 0\nFailed:   0\n-----------\nTotal states run:    0\nTotal run time:  0.000 ms\n"},
		"no sls":     {wire.NewMap("web-01", []any{"No matching sls found for 'nosuch' in env 'base'"}), Options{}, "web-01:\n    Data failed to compile:\n----------\n    No matching sls found for 'nosuch' in env 'base'\n"},
		"no pillar":  {wire.NewMap("m1", []any{"Pillar failed", "this master"}), Options{}, "m1:\n    Data failed to compile:\n----------\n    Pillar failed\n----------\n    this master\n"},
		"in colours": {wire.NewMap("m1", []any{"no"}), Options{Color: true}, "^[[0;1;31mm1:^[[0;0m\n    ^[[0;1;31mData failed to compile:^[[0;0m\n^[[0;1;31m----------\n    no^[[0;0m\n"},
		"warnings": {
			wire.NewMap("m1", wire.NewMap("test_|-ok_|-ok_|-nop", one)),
			Options{},
			"m1:\n----------\n          ID: ok\n    Function: test.nop\n      Result: True\n     Comment: Success!\n     Changes:   \n    Warnings: the first warning long long long long long long long long long\n" +
				"              long long long long long long long long long long long\n\nSummary for m1\n------------\nSucceeded: 1\nFailed:    0\nWarnings:  1\n------------\nTotal states run:     1\nTotal run time:   1.200 s\n",
		},
		// Other data are shown, too, and not as a missing state.
		"a text": {wire.NewMap("m1", "hello"), Options{}, "m1:\n    hello\n"},
		"a map":  {wire.NewMap("m1", wire.NewMap("a", 1)), Options{}, "m1:\n    ----------\n    a:\n        1\n"},
		"a key that is none": {
			wire.NewMap("m1", wire.NewMap("a_|-b", wire.NewMap("result", true))),
			Options{},
			"m1:\n    ----------\n    a_|-b:\n        ----------\n        result:\n            True\n",
		},
	} {
		var b strings.Builder
		if err := Render(&b, "highstate", c.v, c.o); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(b.String(), "\x1b", "^[")
		if got != c.want {
			t.Errorf("%s:\n%s", name, cmp.Diff(c.want, got))
		}
	}
}
