package resources

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// registered is the load that a minion of Salt 3008.2 sent.
func registered(tb testing.TB) wire.Raw {
	tb.Helper()
	var file struct {
		Minion []struct {
			Cmd   string
			Plain wire.Raw
		}
	}
	vectors.Load(tb, "live_3008_requests.json", &file)
	for _, x := range file.Minion {
		if x.Cmd == "_register_resources" {
			return x.Plain
		}
	}
	tb.Fatal("no registration was recorded")
	return nil
}

func open(t *testing.T, dir string, accepted ...string) *Registry {
	t.Helper()
	return Open(Options{
		Cachedir: dir, HasKey: func(id string) bool { return slices.Contains(accepted, id) }, Accepted: func() []string { return accepted }, Log: slog.New(slog.DiscardHandler),
	})
}

func ids(list []target.Resource) (out []string) {
	for _, r := range list {
		out = append(out, r.Type+":"+r.ID)
	}
	return out
}

func TestRegisterReplaces(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, "m1", "m2")
	list, err := Parse(registered(t))
	if err != nil {
		t.Fatal(err)
	}
	if refused, err := r.Register("m1", list); err != nil || len(refused) != 0 {
		t.Fatal(refused, err)
	}
	refused, err := r.Register("m2", []target.Resource{{Type: "dummy", ID: "d-01"}, {Type: "dummy", ID: "m1"}, {Type: "a", ID: "x"}, {Type: "b", ID: "x"}})
	want := map[string]string{"d-01": "minion m1 has registered it", "m1": "a minion of this id has a key", "x": "it has another type too"}
	if diff := cmp.Diff(want, refused); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got := ids(open(t, dir, "m1", "m2").Of("m1")); !slices.Equal(got, []string{"dummy:d-01", "dummy:d-02"}) {
		t.Errorf("kept %v", got)
	}
	// An empty registration releases the resources.
	if _, err := r.Register("m1", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Register("m2", []target.Resource{{Type: "dummy", ID: "d-01"}}); err != nil || r.Manager("d-01") != "m2" {
		t.Errorf("managed by %q, %v", r.Manager("d-01"), err)
	}
	if got := open(t, dir, "m1", "m2").Managers(); !slices.Equal(got, []string{"m2"}) {
		t.Errorf("managers %v", got)
	}
	// An id that has a key by now is a minion.
	r.o.HasKey = func(id string) bool { return id == "d-01" }
	if r.Manager("d-01") != "" || len(r.Of("m2")) != 0 {
		t.Error("a minion with a key is still a resource")
	}
}

func TestParse_Refused(t *testing.T) {
	many := make([]any, MaxResources+1)
	for i := range many {
		many[i] = "d"
	}
	for name, m := range map[string]*wire.Map{
		"no resources":        wire.NewMap("id", "m"),
		"a path":              wire.NewMap("resources", wire.NewMap("dummy", []any{"../x"})),
		"a type is not a map": wire.NewMap("resources", []any{"x"}),
		"a number":            wire.NewMap("resources", wire.NewMap(1, []any{"x"})),
		"too many":            wire.NewMap("resources", wire.NewMap("dummy", many)),
	} {
		b, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := Parse(b); err == nil {
			t.Errorf("%s: read as %v", name, list)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(registered(f)))
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Parse(b)
		if err != nil {
			return
		}
		again, err := Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Parse(again)
		if err != nil {
			t.Fatal(err)
		}
		a, c := ids(list), ids(twice)
		slices.Sort(a)
		slices.Sort(c)
		if !slices.Equal(a, c) {
			t.Errorf("%v became %v", a, c)
		}
	})
}
