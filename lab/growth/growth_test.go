package growth

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Each tree has about the minions that were asked for, and no site has too many.
func TestOptions(t *testing.T) {
	for _, k := range Kinds {
		for _, n := range Sizes(1000, 1_000_000, 1) {
			o, err := k.Options(n)
			if err != nil {
				t.Fatal(err)
			}
			if total := o.Shape.Total(); total < n || total > n+n/50 {
				t.Errorf("%s of %d has %d minions", k, n, total)
			}
			for _, m := range o.Shape.Minions {
				if k == Tree && m > SiteMinions {
					t.Errorf("%s of %d has a site of %d minions", k, n, m)
				}
			}
		}
	}
	if _, err := Kind("ring").Options(10); err == nil {
		t.Error("no error for an unknown kind")
	}
}

func TestSizes(t *testing.T) {
	if got := Sizes(1000, 100_000, 2); !reflect.DeepEqual(got, []int{1000, 3162, 10_000, 31_623, 100_000}) {
		t.Errorf("got %v", got)
	}
}

// A larger tree takes longer, sends more and needs more memory; the data survives its file.
func TestMeasure(t *testing.T) {
	var points []Point
	for _, k := range Kinds {
		small, err := Measure(t.Context(), k, 120)
		if err != nil {
			t.Fatal(err)
		}
		large, err := Measure(t.Context(), k, 1200)
		if err != nil {
			t.Fatal(err)
		}
		for _, col := range []int{LastReturn, InSQL, Messages, Bytes, TopBytes, TopMemory, SiteMemory, SQLWaiting, TopBusy} {
			if small.Of(col) <= 0 || large.Of(col) <= small.Of(col) {
				t.Errorf("%s: %s is %v with 120 minions and %v with 1200", k, names[col], small.Of(col), large.Of(col))
			}
		}
		points = append(points, small, large)
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, points); err != nil {
		t.Fatal(err)
	}
	back, err := ReadCSV(bytes.NewReader(b.Bytes()))
	if err != nil || len(back) != len(points) || back[3].Minions != points[3].Minions {
		t.Fatalf("%v, %v", back, err)
	}
	for _, broken := range []string{"", "kind\n", strings.Replace(b.String(), "minions", "people", 1), strings.Replace(b.String(), "tree,", "tree,x", 1)} {
		if _, err := ReadCSV(strings.NewReader(broken)); err == nil {
			t.Errorf("no error for %.40q", broken)
		}
	}
}

// The pictures of the page are those of its data.
func TestPicturesAreDrawnFromTheData(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "design", "scale")
	data, err := os.ReadFile(filepath.Join(dir, "growth.csv"))
	if err != nil {
		t.Fatal(err)
	}
	points, err := ReadCSV(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	charts := Pictures(points)
	if len(charts) != len(pictures) {
		t.Fatalf("%d charts", len(charts))
	}
	for name, c := range charts {
		var want bytes.Buffer
		if err := c.SVG(&want); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name+".svg")); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s.svg is not drawn from growth.csv (%v); run: build/momlab sim growth --draw", name, err)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	var b bytes.Buffer
	if err := WriteCSV(&b, []Point{{Kind: Flat, Minions: 10}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		points, err := ReadCSV(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteCSV(&out, points); err != nil {
			t.Fatal(err)
		}
		if back, err := ReadCSV(&out); err != nil || len(back) != len(points) {
			t.Fatalf("%d points, %v; want %d", len(back), err, len(points))
		}
	})
}
