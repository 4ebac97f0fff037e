package master

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Templates, conditions and slots of an orchestration call functions of this machine.
func TestOrchestration_Functions(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		dir := c.FileRoots["base"].([]any)[0].(string)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "o.sls"), []byte(`
template: {test.nop: [{name: {{ salt['cmd.run']('echo by a template') }}}]}
onlyif: {test.nop: [{onlyif: 'exit 1'}]}
unless: {test.nop: [{unless: ['exit 1', 'exit 0']}]}
fun: {test.nop: [{onlyif: [{fun: file.file_exists, path: /no/such}]}]}
check: {test.nop: [{check_cmd: ['exit 1']}]}
slot: {salt.runner: [{name: test.arg}, {x: '__slot__:salt:environ.get(MOM_NO_SUCH, y)'}]}
as_other: {test.nop: [{unless: 'exit 1'}, {runas: nobody}]}
none: {test.nop: [{onlyif: [{fun: no.such}]}]}
`), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r.start()
	v, err := r.runners.Do(t.Context(), runners.Bind(runners.Request{Fun: "state.orchestrate", Args: []any{"o"}}), runners.Start{JID: r.jids.Next(), User: "root"})
	if err != nil {
		t.Fatal(err)
	}
	results := v.(*value.Map).Map("data").Map("top") // its id, as in the file
	if results == nil {
		t.Fatal(pyfmt.Repr(v))
	}
	want := map[string]string{
		"template": "True Success!", "onlyif": "True onlyif condition is false", "unless": "True Success!", "fun": "True onlyif condition is false",
		"check": "False check_cmd determined the state failed", "slot": "True Runner function 'test.arg' executed.",
		"as_other": "False An exception occurred in this state: no such function at a master: cmd.retcode with runas",
		"none":     "False An exception occurred in this state: no such function at a master: no.such",
	}
	results.Range(func(_, s any) bool {
		one := s.(*value.Map)
		result, _ := one.Get("result")
		comment, _ := one.Get("comment")
		if got := pyfmt.Str(result) + " " + pyfmt.Str(comment); got != want[one.String("__id__")] {
			t.Errorf("%s: %s, want %s", one.String("__id__"), got, want[one.String("__id__")])
		}
		if id := one.String("__id__"); id == "template" && one.String("name") != "by a template" || id == "slot" && one.Map("changes").Map("return").Map("kwargs").String("x") != "y" {
			t.Errorf("%s: %s", id, pyfmt.Repr(one))
		}
		return true
	})
	if results.Len() != len(want) {
		t.Errorf("%d states ran", results.Len())
	}
}

// The job of a state contains its returners and their options.
func TestOrchestration_Returners(t *testing.T) {
	r := newRig(t)
	r.start()
	r.accept("a", "minion")
	m := r.minion("a", "minion", "minion").listen().announce()
	done := make(chan error, 1)
	state := value.NewMap("x", value.NewMap("salt.function", []any{
		value.NewMap("name", "test.ping"), value.NewMap("tgt", "a"), value.NewMap("ret", []any{"mysql", "syslog"}), value.NewMap("ret_config", "other"),
		value.NewMap("ret_kwargs", value.NewMap("db", "jobs")),
	}))
	go func() {
		_, err := r.runners.Do(t.Context(), runners.Bind(runners.Request{Fun: "state.orchestrate_high", Args: []any{state}}), runners.Start{JID: r.jids.Next(), User: "root"})
		done <- err
	}()
	p := m.hear()
	kwargs, err := wire.DecodeMap(p.RetKwargs)
	if err != nil || p.Ret != "mysql,syslog" || p.RetConfig != "other" || kwargs.String("db") != "jobs" {
		t.Errorf("%v, %+v", err, p)
	}
	if err := m.answer(p.JID, true); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
