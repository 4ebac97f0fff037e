package nodecall

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// carried returns the publication of a question as it arrives after transfer.
func carried(t testing.TB, q Question, nodes []string) wire.Publication {
	t.Helper()
	p, err := q.Publication(nodes)
	if err != nil {
		t.Fatal(err)
	}
	p.JID = "20260101000000000001"
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.ParsePublication(b)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestChange checks that peers that know [Change] read it, and others ignore it.
func TestChange(t *testing.T) {
	p, err := Change{What: "siblings", Within: 1500 * time.Millisecond}.Publication()
	if err != nil {
		t.Fatal(err)
	}
	p.JID = "20260101000000000001"
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = wire.ParsePublication(b); err != nil {
		t.Fatal(err)
	}
	if n, is := ReadChange(p); !is || n.What != "siblings" || n.Within != 1500*time.Millisecond {
		t.Errorf("read %+v %v", n, is)
	}
	if q, asks, err := FromPublication(p, "syn-a"); err != nil || !asks || q.ID != "" {
		t.Errorf("as a question it is %+v %v %v", q, asks, err)
	}
	if tgt, err := wire.Strings(p.Tgt); err != nil || len(tgt) != 0 {
		t.Errorf("for %v, %v", tgt, err)
	}
	for name, p := range map[string]wire.Publication{
		"a question": carried(t, Question{ID: "7", What: "trace", Within: time.Second}, []string{"syn-b"}),
		"a job":      {Extra: wire.NewMap("metadata", 1)},
		"damage":     {Extra: wire.NewMap(Field, 1)},
		"nothing":    {},
	} {
		if n, is := ReadChange(p); is {
			t.Errorf("%s is read as %+v", name, n)
		}
	}
}

func TestQuestionIsForTheNamedNodes(t *testing.T) {
	arg, _ := wire.Encode([]any{"a", 1})
	p := carried(t, Question{ID: "7", What: "trace", Arg: arg, Within: 1500 * time.Millisecond}, []string{"syn-a", "syn-b"})
	q, asks, err := FromPublication(p, "syn-b")
	if err != nil || !asks || q.ID != "7" || q.What != "trace" || q.Within != 1500*time.Millisecond || string(q.Arg) != string(arg) {
		t.Errorf("read %+v %v %v", q, asks, err)
	}
	if q, asks, err := FromPublication(p, "syn-c"); err != nil || !asks || q.ID != "" {
		t.Errorf("another node reads %+v %v %v", q, asks, err)
	}
	if _, asks, _ := FromPublication(wire.Publication{Extra: wire.NewMap("metadata", 1)}, "syn-a"); asks {
		t.Error("a job is taken for a question")
	}
}

func TestMalformedQuestion(t *testing.T) {
	tgt, _ := wire.Encode([]string{"syn-a"})
	for name, v := range map[string]any{
		"no map": "x", "no id": wire.NewMap("what", "trace", "within", 5), "no what": wire.NewMap("id", "1", "within", 5),
		"no time": wire.NewMap("id", "1", "what", "trace"), "list as id": wire.NewMap("id", []any{}, "what", "x", "within", 5),
	} {
		_, asks, err := FromPublication(wire.Publication{Tgt: tgt, Extra: wire.NewMap(Field, v)}, "syn-a")
		if !asks || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v %v", name, asks, err)
		}
	}
}

func TestEachNodeHasAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan Question, 1)
		d := NewQuestions(func(_ []string, q Question) error { asked <- q; return nil })
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		go func() {
			q := <-asked
			if q.Within != 7*time.Second {
				t.Errorf("the nodes get %v", q.Within)
			}
			if d.Take("stranger", q.ID, Answer{}) || d.Take("a", "99", Answer{}) {
				t.Error("somebody who was not asked is heard")
			}
			if !d.Take("a", q.ID, Answer{Value: wire.Raw{1}}) || d.Take("a", q.ID, Answer{Value: wire.Raw{2}}) {
				t.Error("a node is heard once")
			}
		}()
		got, err := d.Ask(ctx, []string{"a", "b"}, "trace", nil)
		if err != nil || string(got["a"].Value) != "\x01" || !errors.Is(got["b"].Err, ErrSilent) {
			t.Errorf("%v %v", got, err)
		}
		if len(d.open) != 0 {
			t.Error("the question stays open")
		}
	})
}

func TestOpenQuestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewQuestions(func([]string, Question) error { return nil })
		ctx, cancel := context.WithCancel(t.Context())
		for range maxOpen {
			go func() { _, _ = d.Ask(ctx, []string{"a"}, "x", nil) }()
		}
		synctest.Wait()
		if _, err := d.Ask(ctx, []string{"a"}, "x", nil); !errors.Is(err, ErrBusy) {
			t.Errorf("one more: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}

func TestPublishFails(t *testing.T) {
	d := NewQuestions(func([]string, Question) error { return fmt.Errorf("closed") })
	if _, err := d.Ask(t.Context(), []string{"a"}, "x", nil); err == nil || len(d.open) != 0 {
		t.Errorf("%v, %d open", err, len(d.open))
	}
}

func FuzzFromPublication(f *testing.F) {
	q, _ := wire.Encode(wire.NewMap("id", "1", "what", "trace", "within", 5))
	f.Add([]byte(q))
	f.Add([]byte{0x80})
	tgt, _ := wire.Encode([]string{"syn-a"})
	f.Fuzz(func(t *testing.T, b []byte) {
		q, asks, err := FromPublication(wire.Publication{Tgt: tgt, Extra: wire.NewMap(Field, wire.Raw(b))}, "syn-a")
		if !asks || (err == nil) != (q.ID != "") {
			t.Errorf("%+v %v %v", q, asks, err)
		}
		if q.Within > maxWithin {
			t.Errorf("within %v", q.Within)
		}
	})
}

// A negative time is read as 0, even if its nanoseconds overflow.
func TestReadChange_BelowZero(t *testing.T) {
	for _, ms := range []int64{-1, -9223372036855} {
		b, err := wire.Encode(wire.NewMap("what", "siblings", "within", ms))
		if err != nil {
			t.Fatal(err)
		}
		n, is := ReadChange(wire.Publication{Extra: wire.NewMap(Field, wire.Raw(b))})
		if !is || n.Within != 0 {
			t.Errorf("%d ms are read as %+v %v", ms, n, is)
		}
	}
}
