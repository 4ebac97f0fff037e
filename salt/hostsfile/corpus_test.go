package hostsfile

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
)

// call is a call of Salt 3006.0's module hosts, its result, and the file afterwards.
type call struct {
	Fun, Text, After string
	Args             []any
	Result           any
}

func (c call) arg(i int) string {
	if i >= len(c.Args) {
		return ""
	}
	s, _ := c.Args[i].(string)
	return s
}

func (c call) names(i int) []string {
	l, many := c.Args[i].([]any)
	if !many {
		return []string{c.arg(i)}
	}
	var out []string
	for _, e := range l {
		out = append(out, e.(string))
	}
	return out
}

func (c call) run() (result any, after string) {
	hosts := Parse(c.Text)
	switch c.Fun {
	case "get_ip":
		return hosts.IP(c.arg(0)), c.Text
	case "get_alias":
		return hosts.Aliases(c.arg(0)), c.Text
	case "has_pair":
		return hosts.Has(c.arg(0), c.names(1)...), c.Text
	case "set_host":
		return true, Set(c.Text, c.arg(0), c.arg(1), c.arg(2))
	case "rm_host":
		return true, Remove(c.Text, c.arg(0), c.arg(1))
	case "add_host":
		return true, Add(c.Text, c.arg(0), c.arg(1))
	case "set_comment":
		after, known := SetComment(c.Text, c.arg(0), c.arg(1))
		return known, after
	default:
		shown := map[string]any{}
		comments := 0
		for _, e := range hosts {
			if e.IP == "" {
				shown[fmt.Sprintf("comment-%d", comments)] = []string{e.Comment}
				comments++
				continue
			}
			entry := map[string]any{"aliases": e.Aliases}
			if e.Comment != "" {
				entry["comment"] = e.Comment
			}
			shown[e.IP] = entry
		}
		return shown, c.Text
	}
}

// A hosts file is read and written as in Salt.
func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/hosts.json")
	if err != nil {
		t.Fatal(err)
	}
	var calls []call
	if err := json.Unmarshal(data, &calls); err != nil || len(calls) < 300 {
		t.Fatalf("%d calls: %v", len(calls), err)
	}
	for _, c := range calls {
		result, after := c.run()
		var plain any
		text, err := json.Marshal(result)
		if err == nil {
			err = json.Unmarshal(text, &plain)
		}
		if err != nil || !reflect.DeepEqual(plain, c.Result) || after != c.After {
			t.Errorf("%s %q of %q\n gave %v and %q\n want %v and %q (%v)", c.Fun, c.Args, c.Text, plain, after, c.Result, c.After, err)
		}
	}
}

// Values that would add a line to the file are an error.
func TestCheck(t *testing.T) {
	for _, good := range [][3]string{{"10.0.0.1", "a b", "why"}, {"::1", "", ""}, {"fe80::1%eth0", "a", ""}} {
		if err := Check(good[0], good[1], good[2]); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range [][3]string{
		{"10.0.0", "a", ""},
		{"10.0.0.1\n6.6.6.6 bank", "a", ""},
		{"10.0.0.1", "a\n6.6.6.6 bank", ""},
		{"10.0.0.1", "a#b", ""},
		{"10.0.0.1", "a\x00", ""},
		{"10.0.0.1", "a", "x\n6.6.6.6 bank"},
		{"", "a", ""},
	} {
		if err := Check(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// An added name is present, a removed one is not, and both keep the names of other
// addresses.
func FuzzEdit(f *testing.F) {
	f.Add("127.0.0.1 localhost # me\n10.0.0.1 a\r\n# x\n")
	f.Add("10.0.0.1\n10.0.0.1 new")
	f.Fuzz(func(t *testing.T, text string) {
		before := Parse(text)
		added := Parse(Add(text, "10.0.0.1", "new"))
		if !added.Has("10.0.0.1", "new") {
			t.Fatalf("not added to %q", text)
		}
		for _, e := range before {
			if e.IP != "" && !added.Has(e.IP, e.Aliases...) {
				t.Fatalf("%v is not in %v", e, added)
			}
		}
		if again := Set(Set(text, "10.0.0.1", "new", ""), "10.0.0.1", "new", ""); again != Set(text, "10.0.0.1", "new", "") {
			t.Fatalf("a second time %q", again)
		}
	})
}
