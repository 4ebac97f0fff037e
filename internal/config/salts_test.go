package config

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/salt/pyfmt"
)

// saltsOptions calls each for every option of Salt's configuration files, with the values in
// the defaults, sample files and documentation of 3006.27 and 3008.2
// (testdata/options/record.py).
func saltsOptions(t *testing.T, each func(file Role, option string, value json.RawMessage)) {
	t.Helper()
	f, err := os.Open("testdata/options/salt.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var o struct {
			File, Option string
			Values       []json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		for _, v := range o.Values {
			each(map[string]Role{"master": Masters, "minion": Minions}[o.File], o.Option, v)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// loadOne loads a file that sets one option, and the options that a minion needs.
func loadOne(t *testing.T, file Role, option, value string) ([]Warning, error) {
	t.Helper()
	text := option + ": " + value + "\n"
	if file == Masters {
		_, w, err := loadMaster(files(t, "master", text), machine("h"))
		return w, err
	}
	for _, needed := range []string{"id", "master"} {
		if option != needed {
			text += needed + ": a\n"
		}
	}
	_, w, err := loadMinion(files(t, "minion", text), machine("h"), false)
	return w, err
}

// No value in Salt's files prevents the start, except those of Refusals.
func TestOptionsOfSalt(t *testing.T) {
	refused := map[string]bool{}
	count := map[string]int{}
	saltsOptions(t, func(file Role, option string, value json.RawMessage) {
		_, err := loadOne(t, file, option, string(value))
		if err == nil {
			count["start"]++
			return
		}
		count["refused"]++
		if i := slices.IndexFunc(Refusals, func(r Refusal) bool { return r.File&file != 0 && r.Option == option }); i < 0 {
			t.Errorf("%s: %.200s: %v", option, value, err)
		}
		refused[option] = true
	})
	t.Log(count)
	if count["start"] < 1600 {
		t.Errorf("few values were tried: %v", count)
	}
	for _, r := range Refusals {
		if !refused[r.Option] {
			t.Errorf("%s is in the list of what is refused, and is not", r.Option)
		}
		for _, file := range []Role{Masters, Minions} {
			if r.File&file == 0 {
				continue
			}
			if _, err := loadOne(t, file, r.Option, r.Value); err == nil || !strings.Contains(err.Error(), r.Option) {
				t.Errorf("%s: %s: %v", r.Option, r.Value, err)
			}
		}
	}
}

// A warning names each Salt option that is not served; every other Salt option is known here.
func TestOptionsOfSalt_ServedOrReported(t *testing.T) {
	saltsOptions(t, func(file Role, option string, value json.RawMessage) {
		if _, known := file.table()[option]; known {
			return
		}
		if NotNeeded[option] != "" || file == Minions && masterless(option) {
			return
		}
		w, err := loadOne(t, file, option, string(value))
		if err != nil {
			return // TestOptionsOfSalt
		}
		if v, err := pyfmt.ReadYAML(value); err == nil && isNothing(v) {
			return
		}
		if !slices.ContainsFunc(w, func(w Warning) bool { return strings.Contains(w.String(), option) }) {
			t.Errorf("%s: %.100s: neither served nor reported", option, value)
		}
	})
}

// isNothing reports whether a value requests nothing.
func isNothing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	}
	return false
}

// Words and numbers that Salt converts to other types.
func TestToleratedValues(t *testing.T) {
	for _, c := range []struct {
		file          Role
		option, value string
		warned        bool
	}{
		{Masters, "cache", "consul", true},
		{Masters, "git_pillar_includes", "60", true},
		{Masters, "peer", "{foo.example.com: {'db*': [test.*]}}", true},
		{Masters, "peer_run", "{.*: manage.up}", true},
		{Masters, "peer", "{foo.example.com: [{'db*': [test.*]}]}", false},
		{Masters, "publisher_acl", "{fred: test.ping}", true},
		{Masters, "publisher_acl", "{fred: [1]}", false}, // reported with the rules
		{Masters, "nodegroups", "{web: {a: b}}", true},
		{Masters, "nodegroups", "{web: [1, b]}", false},
		{Masters, "reactor", "{a: b}", true},
		{Masters, "reactor", "[{a: [b, 1]}, c, {d: {}}]", true},
		{Masters, "reactor", "[{a: b}]", false},
		{Masters, "peer", "true", true},
		{Masters, "peer_run", "manage.up", true},
		{Minions, "state_queue", "2", false},
		{Minions, "state_queue", "true", false},
		{Minions, "source_address", "eth0.example.com", false},
		{Minions, "recon_default", "0", false},
	} {
		w, err := loadOne(t, c.file, c.option, c.value)
		warned := slices.ContainsFunc(w, func(w Warning) bool { return w.Option == c.option })
		if err != nil || warned != c.warned {
			t.Errorf("%s: %s: %v, %v", c.option, c.value, w, err)
		}
	}
	for option, value := range map[string]string{"state_queue": "-1", "source_address": "a b"} {
		if _, err := loadOne(t, Minions, option, value); err == nil {
			t.Errorf("%s: %s is taken", option, value)
		}
	}
}
