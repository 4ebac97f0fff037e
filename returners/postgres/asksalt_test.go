//go:build saltpeer

package postgres

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// TestAsksSalt has the returner of the Salt at SALT_PEER read what this one wrote, and write
// what this one reads, in tables of either's making. It needs psycopg2.
//
//	SALT_PEER=DIR go test -tags saltpeer ./returners/postgres -run AsksSalt -v
func TestAsksSalt(t *testing.T) {
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("SALT_PEER is not set: set it to the directory of an installed Salt")
	}
	s := server(t)
	for _, f := range forms {
		for _, ddl := range []string{"", map[string]string{JSONB: saltDDL, Text: textDDL}[f.name]} {
			t.Run(f.name+map[bool]string{true: ", mom's tables", false: ", Salt's tables"}[ddl == ""], func(t *testing.T) {
				name := s.Database(t)
				if ddl != "" {
					s.Exec(t, name, ddl)
				}
				ctx, st := t.Context(), open(t, s, name, as(f.name))
				values := map[string]any{"a": "first", "b": wire.NewMap("text", "é 😀 \"\\", "n", 2.5, "list", []any{1, nil})}
				var rets []returners.Return
				for id, v := range values {
					rets = append(rets, returnertest.Return(t, 1, id, "test.ping", v))
				}
				event := returners.Event{Tag: "salt/y", Data: returnertest.Encode(t, true), MasterID: "top"}
				for _, err := range []error{
					st.SaveLoads(ctx, []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}), st.SaveReturns(ctx, rets), st.SaveEvents(ctx, []returners.Event{event}),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				said := askSalt(t, peer, f.name, s.Dir, strconv.Itoa(s.Port), name)
				if said.Load["fun"] != "test.ping" || said.Load["user"] != "root" || len(said.Returns) != 2 || said.Returns["a"]["return"] != "first" {
					t.Errorf("Salt reads %+v", said)
				}
				want := map[string]any{"text": "é 😀 \"\\", "n": 2.5, "list": []any{1.0, nil}}
				if diff := cmp.Diff(want, said.Returns["b"]["return"]); diff != "" {
					t.Errorf("a return that Salt reads (-want +got):\n%s", diff)
				}
				if f.name == JSONB && len(said.Fun) != 4 || f.name == Text && !said.Refused {
					t.Errorf("get_fun %v, a second return refused: %v", said.Fun, said.Refused)
				}
				if !slices.Equal(said.JIDs, []string{returnertest.JID(1), returnertest.JID(2)}) || !slices.Equal(said.Minions, []string{"a", "b", "py", "py2"}) {
					t.Errorf("jobs %v, minions %v", said.JIDs, said.Minions)
				}
				readSalts(t, st)
			})
		}
	}
}

// answer is what Salt's returner has read.
type answer struct {
	Load    map[string]any
	Returns map[string]map[string]any
	Fun     map[string]any
	JIDs    []string
	Minions []string
	Refused bool
}

func askSalt(t *testing.T, peer, returner, host, port, db string) (a answer) {
	t.Helper()
	opts := map[string]any{"id": "py-top", "keep_jobs_seconds": 0}
	for key, v := range map[string]string{"host": host, "port": port, "db": db, "user": "postgres"} {
		opts["returner."+returner+"."+key] = v
	}
	conf, err := json.Marshal(opts)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("/usr/bin/python3", "testdata/ask.py", returner, string(conf), returnertest.JID(1), returnertest.JID(2))
	c.Env = append(os.Environ(), "PYTHONPATH="+peer+":"+filepath.Join(peer, "shim"), "PYTHONDONTWRITEBYTECODE=1")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("ask.py: %v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return a
}

// readSalts reads what ask.py wrote.
func readSalts(t *testing.T, st *Store) {
	t.Helper()
	ctx := t.Context()
	l, ok, err := st.GetLoad(ctx, returnertest.JID(2))
	if err != nil || !ok || l.Fun() != "test.ping" || l.User != "root" {
		t.Errorf("load: %+v, %v, %v", l, ok, err)
	}
	rets, err := st.GetReturns(ctx, returnertest.JID(2))
	if err != nil || len(rets) != 2 || !rets[0].Success || returnertest.JSON(t, rets[0].Value) != "true" {
		t.Fatalf("returns: %+v, %v", rets, err)
	}
	d, err := wire.DecodeMap(rets[1].Value)
	if err != nil || d.String("out") != "grüße \U0001f600" {
		t.Errorf("%s, %v", returnertest.JSON(t, rets[1].Value), err)
	}
	r, ok, err := st.GetReturn(ctx, returnertest.JID(1), "a")
	if err != nil || !ok || returnertest.JSON(t, r.Value) != `"first"` {
		t.Errorf("the first return did not stay: %v, %v", returnertest.JSON(t, r.Value), err)
	}
	if n := returnertest.Count(t, st.db, "SELECT COUNT(*) FROM salt_events"); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}
