//go:build saltpeer

package interop

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keepDir names the environment variable with a directory to which every return is written.
const keepDir = "FORMULAS_KEEP"

// Parts of returns left out of the comparison.
var (
	// Start and duration of a state.
	timed = []string{"start_time", "duration"}
	// Random names of the files in which Salt renders and keeps scripts, and comments that list
	// a set of Salt's in random order.
	inSet    = regexp.MustCompile(`^(One or more requisite failed: )(.*)$`)
	byChance = regexp.MustCompile(`/tmp/(__salt\.tmp\.)?[A-Za-z0-9_]{8}\b|/tmp/[A-Za-z0-9_.-]*__salt\.tmp\.[A-Za-z0-9_]+`)
)

// plain returns states without random parts: times, process ids, names of temporary files and the
// id of the minion.
func plain(states map[string]any, id string) map[string]any {
	b, err := json.Marshal(states)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), id, "leaf-x")), &out); err != nil {
		panic(err) // it was just encoded
	}
	for key, v := range out {
		out[key] = plainValue(v)
		s, ok := out[key].(map[string]any)
		if !ok {
			continue
		}
		for _, name := range timed {
			delete(s, name)
		}
		if comment, ok := s["comment"].(string); ok {
			s["comment"] = steady(comment)
		}
		if changes, ok := s["changes"].(map[string]any); ok {
			if gone, ok := changes["removed"].([]any); ok {
				slices.SortFunc(gone, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			delete(changes, "pid") // of the program that cmd ran
			out[key].(map[string]any)["changes"] = samePaths(changes)
		}
	}
	return out
}

// samePaths returns changes with one name for each directory: Salt's file.recurse iterates over a set
// of directories and calls the first of them /path or /path/. at random.
func samePaths(changes map[string]any) map[string]any {
	out := make(map[string]any, len(changes))
	for k, v := range changes {
		if m, ok := v.(map[string]any); ok {
			v = samePaths(m)
		}
		out[strings.TrimSuffix(k, "/.")] = v
	}
	return out
}

// steady returns a comment with its lists in order where Salt's come from a set: failed states, the
// parts on the paths of file.recurse, files that would be changed or removed.
func steady(comment string) string {
	if m := inSet.FindStringSubmatch(comment); m != nil {
		ids := strings.Split(m[2], ", ")
		slices.Sort(ids)
		return m[1] + strings.Join(ids, ", ")
	}
	if !strings.HasPrefix(comment, "#### ") {
		return comment
	}
	// Each path has a section: "#### /path ####" and its text.
	parts := strings.Split(comment, "#### ")
	for i, part := range parts {
		head, rest, _ := strings.Cut(strings.TrimSpace(part), "\n")
		if head == "removed ####" {
			lines := strings.Split(rest, "\n")
			slices.Sort(lines)
			rest = strings.Join(lines, "\n")
		}
		parts[i] = head + "\n" + rest
	}
	slices.Sort(parts)
	return strings.Join(parts, "#### ")
}

func plainValue(v any) any {
	switch v := v.(type) {
	case string:
		return byChance.ReplaceAllString(v, "/tmp/CHANCE")
	case map[string]any:
		for k, e := range v {
			v[k] = plainValue(e)
		}
	case []any:
		for i, e := range v {
			v[i] = plainValue(e)
		}
	}
	return v
}

// keepReturn writes a return to the directory in FORMULAS_KEEP, for inspection.
func keepReturn(t *testing.T, name string, states map[string]any) {
	t.Helper()
	dir := os.Getenv(keepDir)
	if dir == "" {
		return
	}
	b, err := json.MarshalIndent(states, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, strings.ReplaceAll(name, " ", "_")+".json"), string(b))
}

// differences lists the differing states of two returns, by the key of the state.
func differences(a, b map[string]any) map[string]string {
	out := map[string]string{}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	for _, key := range keys {
		x, inA := a[key]
		y, inB := b[key]
		switch {
		case !inA:
			out[key] = "is only in the second: " + short(y)
		case !inB:
			out[key] = "is only in the first: " + short(x)
		case !same(x, y):
			out[key] = unequal(x, y)
		}
	}
	return out
}

// unequal lists the fields that differ in two results of a state, with both values.
func unequal(x, y any) string {
	a, okA := x.(map[string]any)
	b, okB := y.(map[string]any)
	if !okA || !okB {
		return fmt.Sprintf("%s\n    and %s", short(x), short(y))
	}
	var out []string
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		if !same(a[k], b[k]) {
			out = append(out, fmt.Sprintf("%s: %s\n    and %s", k, short(a[k]), short(b[k])))
		}
	}
	return strings.Join(out, "\n  ")
}

// compareReturns compares returns: those of one kind of minion under all masters, then those of our
// minion with those of each Salt. Ours follows the older Salt: where two versions of Salt differ, it
// must match that one.
func compareReturns(t *testing.T, all []returned) {
	for _, p := range append(slices.Clone(installed), nil) {
		kind := kindOf(p)
		t.Run("minion "+kind+" under all masters", func(t *testing.T) {
			having := slices.DeleteFunc(slices.Clone(all), func(r returned) bool { return r.by[kind] == nil })
			first := having[0]
			for _, other := range having[1:] {
				compareRuns(t, kind+" under "+first.under, first.by[kind], kind+" under "+other.under, other.by[kind], nil, nil)
			}
		})
	}
	for _, p := range installed {
		t.Run("our minion and "+p.Name, func(t *testing.T) {
			for _, r := range all {
				if r.by[p.Name] == nil {
					continue
				}
				var older map[string]map[string]any
				if first := installed[0].Name; p.Name != first {
					older = r.by[first]
				}
				compareRuns(t, p.Name+" under "+r.under, r.by[p.Name], "ours under "+r.under, r.by["ours"], knownDifferences[p.Name], older)
			}
		})
	}
}

// compareRuns counts equal states of all runs and reports the others. known maps the key of a state,
// or run and key, to the reason why it differs. A state of b may also match the state of the older
// Salt.
func compareRuns(t *testing.T, nameA string, a map[string]map[string]any, nameB string, b map[string]map[string]any, known map[string]string, older map[string]map[string]any) {
	t.Helper()
	compared, explained, asOlder := 0, 0, 0
	var bad []string
	for _, run := range highstates {
		diff := differences(a[run.name], b[run.name])
		compared += len(a[run.name])
		for _, key := range slices.Sorted(maps.Keys(diff)) {
			why := known[idOf(key)]
			if why == "" {
				why = known[run.name+": "+idOf(key)]
			}
			if why != "" {
				explained++
				continue
			}
			if was, ok := older[run.name][key]; ok && same(was, b[run.name][key]) {
				asOlder++
				continue
			}
			bad = append(bad, fmt.Sprintf("%s: %s\n  %s", run.name, key, diff[key]))
		}
	}
	t.Logf("%s and %s: %d states in %d runs, %d equal, %d as the older Salt gives them, %d different as is known, %d different", nameA, nameB,
		compared, len(highstates), compared-explained-asOlder-len(bad), asOlder, explained, len(bad))
	if len(bad) > 0 {
		t.Errorf("%s and %s:\n%s", nameA, nameB, strings.Join(bad, "\n"))
	}
}

// idOf returns the ID of a state from its key, module_|-ID_|-name_|-function.
func idOf(key string) string {
	if parts := strings.Split(key, "_|-"); len(parts) == 4 {
		return parts[1]
	}
	return key
}

// knownDifferences explains states whose result differs from Salt's: by peer, then by ID of the state
// or by run and ID.
var knownDifferences = map[string]map[string]string{
	"peer": {
		"test: handlers_bad_template":       "an exception is reported without Python's traceback",
		"test after: handlers_bad_template": "an exception is reported without Python's traceback",
	},
	"peer3": {
		"test: handlers_bad_template":       "an exception is reported without Python's traceback",
		"test after: handlers_bad_template": "an exception is reported without Python's traceback",
	},
}
