package load

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/mom/momtest"
)

var program string

func TestMain(m *testing.M) {
	momtest.Main(m, func(dir string) (err error) {
		program, err = momtest.Build(dir, "mom")
		return err
	})
}

// TestLoad sends 200 requests from each of 20 clients, then opens 100 streams while 1000 returns
// pass. No request may fail, and no event may be lost without a notice. The duration is not checked.
func TestLoad(t *testing.T) {
	f, err := Run(t.Context(), Options{Program: program, Dir: t.TempDir(), Clients: 20, Requests: 200, Streams: 100, Returns: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	for _, fault := range f.Faults() {
		t.Error(fault)
	}
	n := 0
	for _, k := range f.Requests.Kinds {
		n += k.Number
	}
	if n != 20*200 || f.Streams.Returns < 1000 || f.Streams.Delivered == 0 || f.Streams.Delivered+f.Streams.Announced < f.Streams.Returns*100 || f.Memory[1] == 0 {
		t.Errorf("%d requests, %+v", n, f)
	}
}

// Streams distinguish lost events with and without a notice, and count repeated ones.
func TestAccount(t *testing.T) {
	x := &stream{seen: map[string]int{}}
	for _, tag := range []string{"salt/job/0/ret/a", "salt/netapi/hook/" + beginTag, "salt/job/1/ret/a", "salt/job/1/ret/b", "salt/job/1/ret/a", "mom/api/slow"} {
		x.take(tag)
	}
	if x.doubled != 1 || x.cut != 1 || x.noticed || len(x.seen) != 2 {
		t.Errorf("%+v", x)
	}
	for _, tag := range []string{"mom/api/gap", "mom/api/lost"} {
		if x := (&stream{}); !func() bool { x.take(tag); return x.noticed }() {
			t.Errorf("%s is not a notice", tag)
		}
	}
	if n := len(Figures{Requests: Requests{Failed: 1}, Streams: Streams{Silent: 1, Doubled: 1, Announced: 5, Took: time.Second}}.Faults()); n != 3 {
		t.Errorf("%d faults", n)
	}
	shares := map[int]int{}
	for n := range 100 {
		shares[kindOf(3, n)]++
	}
	for i, k := range kinds {
		if shares[i] != k.share {
			t.Errorf("%d of a hundred are %s", shares[i], k.name)
		}
	}
}
