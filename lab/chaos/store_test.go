//go:build linux

package chaos

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Faults of a database with three servers are about each server in turn.
func TestDatabases_Edges(t *testing.T) {
	d := &databases{stations: serverStations(serversOf(Galera))}
	silent := func(string, ...any) {}
	a, last := stationOf("a"), stations+1
	if want := []int{database, stations, last}; !slices.Equal(d.stations, want) {
		t.Fatalf("servers at %v, want %v", d.stations, want)
	}
	if got := d.edges(Fault{What: OneWay, Who: "a", Peer: "sql"}, silent); !slices.Equal(got, []edge{{a, database}}) {
		t.Errorf("from a to the first server: %v", got)
	}
	if got := d.edges(Fault{What: Partition, Who: "c", Peer: "a"}, silent); len(got) != 2 {
		t.Errorf("between nodes: %v", got)
	}
	if got := d.edges(Fault{What: OneWay, Who: "a", Peer: "sql"}, silent); !slices.Equal(got, []edge{{a, stations}}) {
		t.Errorf("from a to the second server: %v", got)
	}
	got := map[edge]bool{}
	for _, e := range d.edges(Fault{What: Partition, Who: "sql"}, silent) {
		got[e] = true
	}
	want := map[edge]bool{}
	for _, o := range []int{stationOf("t1"), stationOf("t2"), a, stationOf("b"), database, stations} {
		want[edge{o, last}], want[edge{last, o}] = true, true
	}
	if !maps.Equal(got, want) {
		t.Errorf("around the third server: %v, want %v", got, want)
	}
	if got := len(d.dialed()); got != len(edges())+8 {
		t.Errorf("%d connections, want those of the tree and 4 to each further server", got)
	}
	one := &databases{stations: serverStations(serversOf(Postgres))}
	if got := one.edges(Fault{What: Partition, Who: "sql"}, silent); len(got) != 8 {
		t.Errorf("around the only server: %v", got)
	}
}

func TestBooks_Compare(t *testing.T) {
	sound := func() *books {
		return &books{
			loads: map[string]bool{"j": true}, rows: map[string]map[string]row{"j": {"mc1": {true, "{}"}}},
			expected: map[string]map[string]string{"j": {"mc1": ""}}, nodes: map[string]map[string]bool{"j": {"c": true}},
		}
	}
	for want, harm := range map[string]func(*books){
		"":                 func(*books) {},
		"loads":            func(b *books) { b.loads["k"] = true },
		"returns":          func(b *books) { delete(b.rows["j"], "mc1") },
		"doubled returns":  func(b *books) { b.doubled++ },
		"expected minions": func(b *books) { b.expected["j"]["mc1"] = "gone" },
		"nodes":            func(b *books) { delete(b.nodes, "j") },
	} {
		b := sound()
		harm(b)
		if got := sound().compare(b); want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("other %s: %q", want, got)
		}
	}
}

func TestChildrenOf(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got, err := childrenOf(os.Getpid()); err != nil || !slices.Contains(got, cmd.Process.Pid) {
		t.Errorf("children are %v, %v; want %d among them", got, err, cmd.Process.Pid)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
