package jobfields_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

func publication(t testing.TB, tgt any, kind string) wire.Publication {
	t.Helper()
	b, err := wire.Encode(wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", tgt, "tgt_type", kind, "jid", "20240102030405678901", "ret", "", "user", "fred", "mom_seq", []any{"e", 1}))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, b)
}

func parse(t testing.TB, b []byte) wire.Publication {
	t.Helper()
	p, err := wire.ParsePublication(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// travelled returns a publication as a peer decodes it.
func travelled(t testing.TB, p wire.Publication) wire.Publication {
	t.Helper()
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, b)
}

func TestPut(t *testing.T) {
	p := publication(t, "web* or G@role:web", "compound")
	for _, l := range []jobfields.TargetList{{IDs: []string{"web1", "web2"}}, {IDs: []string{"web1", "web2"}, Open: true, Plain: true}, {}} {
		narrowed, err := jobfields.Narrow(p, l)
		if err != nil {
			t.Fatal(err)
		}
		narrowed = travelled(t, narrowed)
		ids, err := jobfields.NarrowedIDs(narrowed)
		if err != nil || !slices.Equal(ids, l.IDs) {
			t.Errorf("%+v holds %q, %v", l, ids, err)
		}
		if want := map[bool]string{true: "compound", false: "list"}[l.Open]; narrowed.TgtType != want {
			t.Errorf("%+v is a %s", l, narrowed.TgtType)
		}
		asked, got, ok, err := jobfields.Requested(narrowed)
		if err != nil || !ok || string(asked.Tgt) != string(p.Tgt) || asked.TgtType != "compound" || asked.Extra.Has(jobfields.TargetField) || !asked.Extra.Has("mom_seq") {
			t.Errorf("%+v was asked for as %s %s, %v", l, asked.Tgt, asked.TgtType, err)
		}
		if got.Open != l.Open || got.Plain != l.Plain {
			t.Errorf("%+v is read as %+v", l, got)
		}
		one, err := jobfields.NarrowFurther(narrowed, []string{"web2"})
		if err != nil {
			t.Fatal(err)
		}
		if ids, err := jobfields.NarrowedIDs(travelled(t, one)); err != nil || !slices.Equal(ids, []string{"web2"}) {
			t.Errorf("a part holds %q, %v", ids, err)
		}
	}
	if p.Extra.Has(jobfields.TargetField) {
		t.Error("the publication itself was changed")
	}
	if _, _, ok, err := jobfields.Requested(p); ok || err != nil {
		t.Errorf("what is not narrowed: %v, %v", ok, err)
	}
}

// The signature of the top covers the requested target, whatever list a node makes of it.
func TestOrderIsOverTheTarget(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	p := publication(t, "web*", "glob")
	order, err := jobfields.Sign(key, p, now, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	p.Extra.Set(jobfields.SignatureField, order)
	if p, err = jobfields.Narrow(p, jobfields.TargetList{IDs: []string{"web1"}}); err != nil {
		t.Fatal(err)
	}
	asked, _, _, err := jobfields.Requested(travelled(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := jobfields.NewVerifier(&key.PublicKey).Verify(asked, now); err != nil {
		t.Errorf("%v", err)
	}
}

// Whatever the target, no minion outside the list is matched.
func FuzzPut(f *testing.F) {
	for _, s := range []string{") or ( *", "* ) or *", "not db1 or db1", "N@x", "E@.*", "G@a:b\x1for\x1f*"} {
		f.Add(s, "compound")
	}
	f.Add("role:web", "grain")
	f.Add("role:web", "pillar_exact")
	f.Fuzz(func(t *testing.T, tgt, kind string) {
		if _, err := target.Parse(tgt, kind, target.Options{}); err != nil {
			return
		}
		p, err := jobfields.Narrow(publication(t, tgt, kind), jobfields.TargetList{IDs: []string{"web1"}, Open: true})
		if err != nil {
			return
		}
		v, err := wire.Decode(p.Tgt)
		if err != nil {
			t.Fatal(err)
		}
		e, err := target.Parse(v, p.TgtType, target.Options{})
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if e.Certain(target.ID("db1")) != target.No {
			t.Errorf("%v means db1", v)
		}
	})
}

// One operation narrows a job for 100,000 minions; the metric bytes/op is the stored size.
func BenchmarkPut100k(b *testing.B) {
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprintf("web-%05d.dc1.example.org", i)
	}
	p := publication(b, "web*", "glob")
	size := 0
	for b.Loop() {
		narrowed, err := jobfields.Narrow(p, jobfields.TargetList{IDs: ids})
		if err != nil {
			b.Fatal(err)
		}
		size = len(narrowed.Tgt)
	}
	b.ReportMetric(float64(size), "list-bytes")
}
