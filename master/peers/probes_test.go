package peers

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Questions that come together are one publication per job; none is sent after Close.
func TestGatherer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		g := NewGatherer(func(jid string, ids []string) { asked = append(asked, fmt.Sprint(jid, ids)) })
		for _, id := range []string{"c", "a", "b", "a"} {
			g.Add("1", []string{id})
		}
		g.Add("2", []string{"x"})
		time.Sleep(2 * askDelay)
		synctest.Wait()
		slices.Sort(asked)
		if got := fmt.Sprint(asked); got != "[1[a b c] 2[x]]" {
			t.Errorf("asked %s", got)
		}
		asked = nil
		g.Add("1", []string{"a"})
		g.Close()
		g.Add("1", []string{"a"})
		time.Sleep(2 * askDelay)
		synctest.Wait()
		if asked != nil {
			t.Errorf("asked %v after the end", asked)
		}
	})
}

func TestProbes(t *testing.T) {
	var found []string
	p := NewProbes(func(jid, id string, running bool) { found = append(found, fmt.Sprint(jid, " ", id, " ", running)) })
	value := func(v any) wire.Raw {
		b, err := wire.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p.Add("probe", "job")
	if p.Answer("other", "m1", value(wire.NewMap())) {
		t.Error("the return of a job was handled")
	}
	for _, v := range []any{wire.NewMap("jid", "job"), wire.NewMap(), nil, "ERROR: refused", true} {
		if !p.Answer("probe", "m1", value(v)) {
			t.Errorf("%v was not handled", v)
		}
	}
	if got := fmt.Sprint(found); got != "[job m1 true job m1 false job m1 false]" {
		t.Errorf("found %s", got)
	}
	for i := range maxProbes {
		p.Add(fmt.Sprint(i), "job")
	}
	if p.about.Len() != maxProbes || p.Answer("probe", "m1", value(nil)) {
		t.Errorf("%d recorded, with the oldest", p.about.Len())
	}
}
