package process

import (
	"slices"
	"strings"
	"testing"
)

func TestCurrentWork(t *testing.T) {
	first := BeginWork("rendering of a.sls")
	second := BeginWork("rendering of b.sls")
	named := func() []string {
		var out []string
		for _, n := range CurrentWork() {
			if strings.HasPrefix(n, "rendering") {
				out = append(out, n)
			}
		}
		return out
	}
	if got := named(); !slices.Equal(got, []string{"rendering of a.sls (0s)", "rendering of b.sls (0s)"}) {
		t.Errorf("%q", got)
	}
	first()
	if got := named(); !slices.Equal(got, []string{"rendering of b.sls (0s)"}) {
		t.Errorf("%q", got)
	}
	second()
	if got := named(); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestRunning(t *testing.T) {
	stacks := `goroutine 1 [running]:
github.com/momtree/mom/internal/process.CurrentWork()
	/src/busy.go:60 +0x1
main.main()
	/src/main.go:3 +0x1

goroutine 5 [runnable]:
strings.Index({0x1, 0x2}, {0x3, 0x4})
	/go/strings.go:10 +0x1
github.com/momtree/mom/salt/states/file.(*editor).replace(0xc000, {0x1, 0x2})
	/src/replace.go:10 +0x1
github.com/momtree/mom/minion.(*Minion).Run(...)
	/src/minion.go:10 +0x1

goroutine 6 [select, 3 minutes]:
github.com/momtree/mom/internal/bus.(*Bus).run(0xc000)
	/src/bus.go:10 +0x1`
	if got := running(stacks); !slices.Equal(got, []string{"salt/states/file.(*editor).replace"}) {
		t.Errorf("%q", got)
	}
}
