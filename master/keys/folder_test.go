package keys

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestIDOrder(t *testing.T) {
	ids := []string{"b", "A", "a", "C", "B2", "b1", "É", "é"}
	slices.SortFunc(ids, compareIDs)
	if diff := cmp.Diff([]string{"A", "a", "b", "b1", "B2", "C", "É", "é"}, ids); diff != "" {
		t.Error(diff)
	}
}

// The merged list is what sorting everything would give, whatever came and went.
func TestFolderList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := folder{ids: map[string]*entry{}, dirty: map[string]struct{}{}}
		for range rapid.IntRange(1, 40).Draw(t, "rounds") {
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				id := rapid.StringMatching(`[abAB][0-9]`).Draw(t, "id")
				if rapid.Bool().Draw(t, "add") {
					f.ids[id] = new(entry)
				} else {
					delete(f.ids, id)
				}
				f.dirty[id] = struct{}{}
			}
			want := []string{}
			for id := range f.ids {
				want = append(want, id)
			}
			slices.SortFunc(want, compareIDs)
			if got := f.list(); !slices.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

func manyFolder(n int) *folder {
	f := &folder{ids: map[string]*entry{}, dirty: map[string]struct{}{}}
	for i := range n {
		id := fmt.Sprintf("minion-%06d.example.com", i)
		f.ids[id] = new(entry)
		f.dirty[id] = struct{}{}
	}
	return f
}

func BenchmarkList100k(b *testing.B) {
	f := manyFolder(100_000)
	f.list()
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			f.list()
		}
	})
	b.Run("one changed", func(b *testing.B) {
		for b.Loop() {
			f.dirty["minion-050000.example.com"] = struct{}{}
			f.list()
		}
	})
}
