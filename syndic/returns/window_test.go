package returns

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/momtree/mom/returners"
)

// A row given back is sent before later ones; no position in the outbox is passed with rows unread.
func TestWindow_GivenBack(t *testing.T) {
	w := NewWindow(WindowOptions{Rows: 3, Bytes: 100, Resting: 10})
	page := func(seqs ...int64) (out []returners.Item) {
		for _, seq := range seqs {
			out = append(out, returners.Item{Seq: seq, Dest: "d", JID: "1", Payload: []byte{1}})
		}
		return out
	}
	all := func(int) bool { return true }
	seqs := func(items []returners.Item) (out []int64) {
		for _, it := range items {
			out = append(out, it.Seq)
		}
		return out
	}
	if after := w.BeginPage("d"); after != 0 {
		t.Errorf("page begins after %d", after)
	}
	w.EndPage("d", page(4, 7, 9), all)
	if rows, _ := w.Room(false); rows != 0 {
		t.Errorf("room for %d more", rows)
	}
	first, second := w.Take(1, 100, false), w.Take(1, 100, false)
	w.Back(first...)
	w.Done(second...)
	if got := seqs(w.Take(5, 100, false)); !slices.Equal(got, []int64{4, 9}) {
		t.Errorf("taken %v", got)
	}
	w.Back(first...)
	// Rows done while a page is read are not added from that page.
	w.Restart()
	if after := w.BeginPage("d"); after != 0 {
		t.Errorf("page begins after %d", after)
	}
	w.Done(page(9)...)
	w.EndPage("d", page(4, 9), all)
	if got := seqs(w.Take(5, 100, false)); !slices.Equal(got, []int64{4}) {
		t.Errorf("taken %v", got)
	}
}

// Whatever is read, taken, given back, removed and restarted in any order: each row is in one
// state, the bounds hold, and only rows that are done or another parent's are passed.
func TestWindow_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := WindowOptions{Rows: rapid.IntRange(1, 6).Draw(t, "rows"), Bytes: rapid.IntRange(1, 12).Draw(t, "bytes"), Resting: rapid.IntRange(1, 4).Draw(t, "resting")}
		w := NewWindow(o)
		now := time.Unix(1000, 0)
		var box []returners.Item // the outbox
		under := map[int64]returners.Item{}
		theirs := map[int64]bool{} // rows of another parent
		seq := int64(0)
		some := func(label string) (it returners.Item, ok bool) {
			if len(under) == 0 {
				return it, false
			}
			var keys []int64
			for k := range under {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			return under[rapid.SampledFrom(keys).Draw(t, label)], true
		}
		remove := func(n int64) {
			box = slices.DeleteFunc(box, func(it returners.Item) bool { return it.Seq == n })
		}
		read := func(after int64, n, bytes int) (out []returners.Item) {
			for _, it := range box {
				if it.Seq > after && len(out) < n {
					if bytes -= len(it.Payload); len(out) > 0 && bytes < 0 {
						break
					}
					out = append(out, it)
				}
			}
			return out
		}
		mineOf := func(page []returners.Item) func(int) bool { return func(i int) bool { return !theirs[page[i].Seq] } }
		t.Repeat(map[string]func(*rapid.T){
			"come": func(t *rapid.T) {
				seq += rapid.Int64Range(1, 3).Draw(t, "gap")
				it := returners.Item{Seq: seq, Dest: "d", JID: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "job"), Payload: make([]byte, rapid.IntRange(0, 5).Draw(t, "size"))}
				box = append(box, it)
				theirs[seq] = rapid.IntRange(0, 4).Draw(t, "whose") == 0
			},
			"read": func(t *rapid.T) {
				rows, bytes := w.Room(false)
				if rows == 0 {
					return
				}
				page := read(w.BeginPage("d"), rows, bytes)
				if it, ok := some("landed meanwhile"); ok && rapid.Bool().Draw(t, "meanwhile") {
					w.Done(it)
					delete(under, it.Seq)
					remove(it.Seq)
				}
				w.EndPage("d", page, mineOf(page))
			},
			"take": func(t *rapid.T) {
				apart := rapid.Bool().Draw(t, "apart")
				for _, it := range w.Take(rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "bytes"), apart) {
					if _, twice := under[it.Seq]; twice {
						t.Fatalf("row %d in flight twice", it.Seq)
					}
					under[it.Seq] = it
				}
			},
			"back": func(t *rapid.T) {
				if it, ok := some("back"); ok {
					w.Back(it)
					delete(under, it.Seq)
				}
			},
			"done": func(t *rapid.T) {
				if it, ok := some("done"); ok {
					w.Done(it)
					delete(under, it.Seq)
					remove(it.Seq)
				}
			},
			"rest": func(t *rapid.T) {
				if it, ok := some("rest"); ok {
					f := w.Fault(it.Seq)
					f.Strikes++
					w.Rest(it, f, now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "pause"))*time.Second))
					delete(under, it.Seq)
				}
			},
			"recall": func(t *rapid.T) {
				now = now.Add(time.Second)
				first, ok := w.Due("d", now)
				if rows, bytes := w.Room(true); ok && rows > 0 {
					page := read(first-1, rows, bytes)
					w.Recall("d", now, page, mineOf(page))
				}
			},
			"stolen": func(t *rapid.T) { // another parent accepted it
				if len(box) > 0 {
					if it := rapid.SampledFrom(box).Draw(t, "stolen"); under[it.Seq].Seq == 0 {
						theirs[it.Seq] = true
						w.Restart()
						remove(it.Seq)
					}
				}
			},
			"shift": func(t *rapid.T) {
				for _, it := range box {
					theirs[it.Seq] = rapid.IntRange(0, 4).Draw(t, "whose") == 0
				}
				w.Restart()
			},
			"": func(t *rapid.T) {
				held, rests := w.Len()
				if held > o.Rows || rests > o.Resting+o.Rows {
					t.Fatalf("%d of %d rows waiting or in flight, %d of %d resting", held, o.Rows, rests, o.Resting)
				}
				if ready := w.Ready(false); ready+len(under) != held {
					t.Fatalf("%d waiting and %d in flight, total %d", ready, len(under), held)
				}
				w.BeginPage("d")
				defer w.DropPage()
				for _, it := range box {
					if w.Passed(it) && !theirs[it.Seq] {
						t.Fatalf("row %d passed over", it.Seq)
					}
				}
			},
		})
	})
}
