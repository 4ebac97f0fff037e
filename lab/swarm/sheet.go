package swarm

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

const (
	// mostSheet bounds an SLS or top file, in bytes.
	mostSheet = 1 << 20
	// keptSheets is how many are kept, read once for all minions.
	keptSheets = 1024
	// mostNamed bounds the states, includes and sources of one of them.
	mostNamed = 10_000
)

// sheet is what an SLS or top file says of other files. It is read as text: Jinja is not
// run, its lines are passed over, and what an expression names is not known.
type sheet struct {
	include []string
	sources []string // salt://…
	states  []string // ids
	top     []claim
	fault   error // of a top file
}

// claim is a target of a top file with the SLS that it is given.
type claim struct {
	env  string
	tgt  target.Expr
	list []string
}

// sheets are those that were read not long ago, by what they are and their hash.
type sheets struct {
	mu   sync.Mutex
	kept *lru.Guarded[string, *sheet]
}

func newSheets() *sheets { return &sheets{kept: lru.NewGuarded[string, *sheet](keptSheets, nil)} }

func (s *sheets) get(key string) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, _ := s.kept.Get(key)
	return x
}

func (s *sheets) put(key string, x *sheet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Add(key, x)
}

var (
	jinjaLine = regexp.MustCompile(`(?m)^[ \t]*\{[%#].*$`)
	sourceURL = regexp.MustCompile(`salt://[^\s'",\]}{|]+`)
	stateID   = regexp.MustCompile(`^([^\s#:\-{][^:]*|"[^"]*"|'[^']*'):(\s|$)`)
	listItem  = regexp.MustCompile(`^\s*-\s+([^\s#].*?)\s*$`)
)

// readSLS reads what an SLS names.
func readSLS(b []byte) *sheet {
	x := &sheet{}
	b = jinjaLine.ReplaceAll(b, nil)
	within := ""
	for line := range bytes.Lines(b) {
		l := strings.TrimRight(string(line), "\r\n")
		for _, url := range sourceURL.FindAllString(l, -1) {
			if len(x.sources) < mostNamed && !slices.Contains(x.sources, url) {
				x.sources = append(x.sources, url)
			}
		}
		if m := stateID.FindStringSubmatch(l); m != nil {
			within = strings.Trim(m[1], `"'`)
			if within != "include" && within != "exclude" && within != "extend" && len(x.states) < mostNamed {
				x.states = append(x.states, within)
			}
			continue
		}
		if m := listItem.FindStringSubmatch(l); m != nil && within == "include" && len(x.include) < mostNamed && !strings.ContainsAny(m[1], "{}: ") {
			x.include = append(x.include, strings.Trim(m[1], `"'`))
		}
	}
	return x
}

// readTop reads a top file.
func readTop(b []byte) *sheet {
	x := &sheet{}
	v, err := pyfmt.ReadYAMLMax(jinjaLine.ReplaceAll(b, nil), mostNamed)
	if err != nil {
		x.fault = fmt.Errorf("the top file cannot be read without its Jinja, which a swarm does not run: %w", err)
		return x
	}
	envs, _ := v.(*wire.Map)
	envs.Range(func(env, targets any) bool {
		m, _ := targets.(*wire.Map)
		m.Range(func(tgt, list any) bool {
			if c, err := newClaim(fmt.Sprint(env), tgt, list); err != nil {
				x.fault = fmt.Errorf("top file: %v: %w", tgt, err)
			} else {
				x.top = append(x.top, c)
			}
			return true
		})
		return true
	})
	return x
}

func newClaim(env string, tgt, list any) (c claim, err error) {
	c.env = env
	kind := "compound"
	all, _ := list.([]any)
	for _, e := range all {
		switch e := e.(type) {
		case string:
			c.list = append(c.list, e)
		case *wire.Map:
			if m := e.String("match"); m != "" {
				kind = m
			}
		}
	}
	c.tgt, err = target.Parse(tgt, kind, target.Options{})
	return c, err
}
