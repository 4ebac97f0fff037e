package returners

import "testing"

func TestPart(t *testing.T) {
	for _, p := range []Part{{JID: "1"}, {"1", 1}, {"1", 120}} {
		if got, published, ok := PartOf(p.Kept([]byte("x"))); got != p || published || !ok {
			t.Errorf("%v: kept as %v, %v, %v", p, got, published, ok)
		}
		if got, published, ok := PartOf(p.Published()); got != p || !published || !ok {
			t.Errorf("%v: marked as %v, %v, %v", p, got, published, ok)
		}
	}
	if k := (Part{JID: "1"}).Published().Key; k != KeyPublished {
		t.Errorf("the mark of a first publication is %q; want %q", k, KeyPublished)
	}
	for _, key := range []string{"part", "part/0", "part/-1", "part/01", "part/x", "/1", "other", "published/", "published/0"} {
		if p, _, ok := PartOf(Note{Kind: NotePublication, JID: "1", Key: key}); ok {
			t.Errorf("key %q is read as %v", key, p)
		}
	}
}
