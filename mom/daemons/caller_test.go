package daemons

import (
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// What a reaction gives a function is one word each, whatever is in it.
func TestCallerWords(t *testing.T) {
	got, err := callerWords("/etc/salt", "test.arg", []any{"a b; c", int64(1), value.NewMap("x", true)}, value.NewMap("k", []any{"v", nil}))
	want := `salt-call --local --retcode-passthrough -c /etc/salt -- test.arg|"a b; c"|1|{"x":true}|k=["v",null]`
	if s := strings.Join(got[:7], " ") + "|" + strings.Join(got[7:], "|"); err != nil || s != want {
		t.Errorf("%s, %v\nwant %s", s, err, want)
	}
	if _, err := callerWords("", "f", []any{func() {}}, nil); err == nil {
		t.Error("what cannot be written is written")
	}
}

// A reaction's call is indirect, so what an event brings is not read by a shell.
func TestCallerCommand_Indirect(t *testing.T) {
	if cmd := callerCommand(t.Context(), "mom", []string{"salt-call"}); !slices.Contains(cmd.Env, "MOM_CALL_INDIRECT=1") {
		t.Error("the call is direct")
	}
}
