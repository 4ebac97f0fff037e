package output

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// The output of a real salt and salt-key on a terminal and to a pipe.
func TestTranscripts(t *testing.T) {
	l := func(s ...any) []any { return s }
	items := wire.NewMap("web-01", wire.NewMap("role", "web", "nest", wire.NewMap("k", "vweb"), "tags", l("a", "web")))
	pings := wire.NewMap("web-01", true, "db-01", true)
	keyring := wire.NewMap("minions", l("b-2", "b-1"), "minions_pre", l("a-1", "a-2"), "minions_rejected", l("c-1", "c-2"), "minions_denied", l("d-1"))
	missing := wire.NewMap("web-02", "Minion did not return. [No response]\nThe minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:\n\nsalt-run jobs.lookup_jid 20240101000000000004")
	for _, c := range []struct {
		what, name string
		v          any
		o          Options
		want       string
	}{
		{"nested", "", items, Options{}, "web-01:\n    ----------\n    nest:\n        ----------\n        k:\n            vweb\n    role:\n        web\n    tags:\n        - a\n        - web\n"},
		{"colours", "nested", items, Options{Color: true}, "^[[0;36mweb-01^[[0;0m:\n    ^[[0;36m----------^[[0;0m\n    ^[[0;36mnest^[[0;0m:\n        ^[[0;36m----------^[[0;0m\n        ^[[0;36mk^[[0;0m:\n            ^[[0;32mvweb^[[0;0m\n    ^[[0;36mrole^[[0;0m:\n        ^[[0;32mweb^[[0;0m\n    ^[[0;36mtags^[[0;0m:\n        ^[[0;32m- a^[[0;0m\n        ^[[0;32m- web^[[0;0m\n"},
		{"a failure in colours", "nested", wire.NewMap("web-01", ""), Options{Color: true, Retcode: 3}, "^[[0;31mweb-01^[[0;0m:\n"},
		{"true in colours", "nested", wire.NewMap("web-01", true), Options{Color: true}, "^[[0;36mweb-01^[[0;0m:\n    ^[[0;1;33mTrue^[[0;0m\n"},
		{"json", "json", items, Options{}, "{\n    \"web-01\": {\n        \"role\": \"web\",\n        \"nest\": {\n            \"k\": \"vweb\"\n        },\n        \"tags\": [\n            \"a\",\n            \"web\"\n        ]\n    }\n}\n"},
		{"json in one line", "json", items, Options{Indent: ptr(-1)}, "{\"web-01\": {\"role\": \"web\", \"nest\": {\"k\": \"vweb\"}, \"tags\": [\"a\", \"web\"]}}\n"},
		{"json keeps order", "json", pings, Options{}, "{\n    \"web-01\": true,\n    \"db-01\": true\n}\n"},
		{"yaml", "yaml", items, Options{}, "web-01:\n  nest:\n    k: vweb\n  role: web\n  tags:\n  - a\n  - web\n"},
		{"yaml in one line", "yaml", wire.NewMap("web-01", wire.NewMap("nest", wire.NewMap("k", "vweb"))), Options{Indent: ptr(-1)}, "{web-01: {nest: {k: vweb}}}\n"},
		{"yaml folds", "yaml", missing, Options{}, "web-02: 'Minion did not return. [No response]\n\n  The minions may not have all finished running and any remaining minions will return\n  upon completion. To look up the return data for this job later, run the following\n  command:\n\n\n  salt-run jobs.lookup_jid 20240101000000000004'\n"},
		{"txt", "txt", items, Options{}, "web-01: {'role': 'web', 'nest': {'k': 'vweb'}, 'tags': ['a', 'web']}\n"},
		{"txt of lines", "txt", wire.NewMap("web-02", "a\n\nb"), Options{}, "web-02: a\nweb-02: \nweb-02: b\n"},
		{"raw", "raw", items, Options{}, "{'web-01': {'role': 'web', 'nest': {'k': 'vweb'}, 'tags': ['a', 'web']}}\n"},
		{"quiet", "quiet", items, Options{}, ""},
		{"values", "newline_values_only", items, Options{}, "{'role': 'web', 'nest': {'k': 'vweb'}, 'tags': ['a', 'web']}\n"},
		{"highstate of other data", "highstate", pings, Options{}, "web-01:\n    True\ndb-01:\n    True\n"},
		{"escapes", "nested", wire.NewMap("web-01", "a\tb\x1b[31mred\x1b[0m\ufffd\né"), Options{}, "web-01:\n    a\tb?[31mred?[0m\ufffd\n    é\n"},
		{"escapes in json", "json", wire.NewMap("web-01", "a\tb\x1b[31mred\x1b[0m\né"), Options{}, "{\n    \"web-01\": \"a\\tb\\u001b[31mred\\u001b[0m\\né\"\n}\n"},
		{"no return in colours", "no_return", missing, Options{Color: true}, "^[[0;36mweb-02^[[0;0m:\n^[[0;31m    Minion did not return. [No response]^[[0;0m\n^[[0;31m    The minions may not have all finished running and any remaining minions will return upon completion. To look up the return data for this job later, run the following command:^[[0;0m\n^[[0;31m    ^[[0;0m\n^[[0;31m    salt-run jobs.lookup_jid 20240101000000000004^[[0;0m\n"},
		{"keys", "key", keyring, Options{}, "Accepted Keys:\nb-1\nb-2\nDenied Keys:\nd-1\nUnaccepted Keys:\na-1\na-2\nRejected Keys:\nc-1\nc-2\n"},
		{"no keys", "key", wire.NewMap("minions", l(), "minions_pre", l()), Options{}, "Accepted Keys:\nUnaccepted Keys:\n"},
		{"keys in colours", "key", keyring, Options{Color: true}, "^[[0;1;32mAccepted Keys:^[[0;0m\n^[[0;32mb-1^[[0;0m\n^[[0;32mb-2^[[0;0m\n^[[0;1;35mDenied Keys:^[[0;0m\n^[[0;35md-1^[[0;0m\n^[[0;1;31mUnaccepted Keys:^[[0;0m\n^[[0;31ma-1^[[0;0m\n^[[0;31ma-2^[[0;0m\n^[[0;1;34mRejected Keys:^[[0;0m\n^[[0;34mc-1^[[0;0m\n^[[0;34mc-2^[[0;0m\n"},
		{"fingerprints", "key", map[string]any{"minions_rejected": map[string]any{"c-1": "f7:9e"}}, Options{}, "Rejected Keys:\nc-1:  f7:9e\n"},
		{"no key list", "key", items, Options{}, "web-01:\n    ----------\n    nest:\n        ----------\n        k:\n            vweb\n    role:\n        web\n    tags:\n        - a\n        - web\n"},
		{"bytes in yaml", "yaml", wire.NewMap("b", []any{"\xff"}, "a", strings.Repeat("\xff\xfe", 60)), Options{}, "a: !!binary |\n  //7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7/\n  /v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+//7//v/+\n  //7//v/+\nb:\n- !!binary |\n  /w==\n"},
		{"keys of several kinds", "nested", wire.NewMap("b", int64(1), int64(10), int64(2), nil, int64(3)), Options{}, "10:\n    2\nNone:\n    3\nb:\n    1\n"},
		{"numbers as keys", "json", wire.NewMap(int64(10), 1.0, true, nil), Options{Indent: ptr(-1)}, "{\"10\": 1.0, \"true\": null}\n"},
	} {
		var b strings.Builder
		err := Render(&b, c.name, c.v, c.o)
		got := strings.ReplaceAll(b.String(), "\x1b", "^[")
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s", c.what, err, cmp.Diff(c.want, got))
		}
	}
}

func TestUnknownOutputterFallsBackToNested(t *testing.T) {
	var b strings.Builder
	err := Render(&b, "nosuch", wire.NewMap("web-01", true), Options{})
	if !errors.Is(err, ErrUnknown) || err.Error() != "invalid outputter nosuch specified, fall back to nested" {
		t.Errorf("error %v", err)
	}
	if b.String() != "web-01:\n    True\n" {
		t.Errorf("printed %q", b.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("the pipe is closed") }

func TestWriteErrorsAreReported(t *testing.T) {
	if err := Render(broken{}, "raw", "x", Options{}); err == nil || !strings.Contains(err.Error(), "the pipe is closed") {
		t.Errorf("error %v", err)
	}
	if err := Render(broken{}, "quiet", "x", Options{}); err != nil {
		t.Errorf("nothing was to be written: %v", err)
	}
}

func TestLinesAsPythonSplitsThem(t *testing.T) {
	for in, want := range map[string][]string{
		"": nil, "a": {"a"}, "a\n": {"a"}, "a\r\nb": {"a", "b"}, "a\rb\n\nc": {"a", "b", "", "c"},
		"\n": {""}, "a\u2028b\x1cc\u0085": {"a", "b", "c"}, "\r\n\r\n": {"", ""}, "a\n\r": {"a", ""},
	} {
		if got := pyfmt.SplitLines(in, false); !cmp.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
