package bounds

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config/usage"
)

func TestSet(t *testing.T) {
	b := Default()
	for text, want := range map[string]time.Duration{"300ms": 300 * time.Millisecond, "2": 2 * time.Second, "1m30s": 90 * time.Second} {
		if err := b.Set("claims", text); err != nil || b.Claims != want {
			t.Errorf("claims=%s: %v, %v", text, b.Claims, err)
		}
	}
	if err := b.Set("commit_rows", "3"); err != nil || b.CommitRows != 3 {
		t.Errorf("commit_rows=3: %d, %v", b.CommitRows, err)
	}
	for _, c := range [][2]string{{"commit_rows", "0"}, {"commit_rows", "-1"}, {"commit_rows", "many"}, {"claims", "soon"}, {"comit_rows", "1"}, {"depth", "49"}} {
		if err := b.Set(c[0], c[1]); err == nil || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%s=%s: %v", c[0], c[1], err)
		}
	}
	if got := (Bounds{CommitRows: 7}).OrDefault(); got.CommitRows != 7 || got.CommitPending != Default().CommitPending {
		t.Errorf("the rest of the defaults: %+v", got)
	}
}

// Over a thousand seeds each bound is small in about half of the draws and inside its range,
// and one seed always gives the same bounds.
func TestDraw(t *testing.T) {
	const seeds = 1000
	small := map[string]int{}
	options := map[string]int{}
	all, none := 0, 0
	for seed := range uint64(seeds) {
		d := Draw(seed)
		if !reflect.DeepEqual(d, Draw(seed)) {
			t.Fatalf("seed %d gives two draws", seed)
		}
		for name := range d.Options {
			options[name]++
		}
		if len(d.Small) == len(All()) {
			all++
		}
		if len(d.Small) == 0 {
			none++
		}
		for _, x := range All() {
			field := reflect.ValueOf(d.Bounds).Field(x.index)
			low, _ := parse(field.Type(), x.Low)
			high, _ := parse(field.Type(), x.High)
			isSmall := slices.Contains(d.Small, x.Name)
			if n := field.Int(); isSmall && (n < low || n > high) || !isSmall && d.Text(x.Name) != Default().Text(x.Name) {
				t.Fatalf("seed %d: %s is %d", seed, x.Name, n)
			}
			if isSmall {
				small[x.Name]++
			}
		}
	}
	for _, x := range All() {
		if n := small[x.Name]; n < seeds/3 || n > 2*seeds/3 {
			t.Errorf("%s is small in %d of %d seeds", x.Name, n, seeds)
		}
	}
	for _, name := range slices.Concat(DrawnOptions(true), DrawnOptions(false)) {
		if n := options[name]; n < seeds/3 || n > 2*seeds/3 {
			t.Errorf("%s is drawn in %d of %d seeds", name, n, seeds)
		}
	}
	if all < seeds/16 || none < seeds/16 {
		t.Errorf("all small %d times, none %d times, of %d", all, none, seeds)
	}
}

// Drawn bounds survive a round trip through a configuration file.
func TestSettings(t *testing.T) {
	for seed := range uint64(50) {
		d := Draw(seed)
		back := Default()
		for name, v := range d.Settings() {
			if err := back.Set(name, v.(string)); err != nil {
				t.Fatal(err)
			}
		}
		if back != d.Bounds {
			t.Fatalf("seed %d: %s came back as %s", seed, d.Bounds, back)
		}
	}
}

// docs/design/bounds.md and the list of drawn bounds have the same bounds.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "design", "bounds.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]int{}
	for _, m := range regexp.MustCompile("bound `([a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		named[m[1]]++
	}
	for _, x := range All() {
		if named[x.Name] != 1 {
			t.Errorf("docs/design/bounds.md names the bound `%s` %d times, want once", x.Name, named[x.Name])
		}
		delete(named, x.Name)
	}
	for name := range named {
		t.Errorf("docs/design/bounds.md names the bound `%s`, which does not exist", name)
	}
}

// Each drawn bound has an effect: a daemon reads each field.
func TestEachIsRead(t *testing.T) {
	typ := reflect.TypeFor[Bounds]()
	read, err := usage.Scan(".", typ.PkgPath())
	if err != nil {
		t.Fatal(err)
	}
	for i := range typ.NumField() {
		if len(read.Fields["Bounds."+typ.Field(i).Name]) == 0 {
			t.Errorf("no daemon reads the bound %s", All()[i].Name)
		}
	}
}
