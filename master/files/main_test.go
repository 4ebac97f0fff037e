package files

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/config"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

var quiet = slog.New(slog.DiscardHandler)

// shelf is a backend in memory.
type shelf struct {
	files        map[string]string // ENV/path: content
	fail         error
	reads, lists atomic.Int64
}

type content struct {
	*bytes.Reader
	of *shelf
}

func (content) Close() error { return nil }

func (s *shelf) Envs(context.Context) ([]string, error) { return []string{"base", "dev"}, s.fail }

func (s *shelf) Find(_ context.Context, env string, p Path) (*File, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	text, ok := s.files[env+"/"+p.Rel]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return &File{
		Path: "/shelf/" + p.Rel, Rel: p.Rel, Size: int64(len(text)), Key: fmt.Sprint(env, p.Rel, len(text)),
		Open: func(context.Context) (Content, error) {
			s.reads.Add(1)
			return content{bytes.NewReader([]byte(text)), s}, nil
		},
	}, nil
}

func (s *shelf) List(_ context.Context, env string) (*List, error) {
	s.lists.Add(1)
	if s.fail != nil {
		return nil, s.fail
	}
	l := &List{Dirs: []string{"web", "web2"}, Links: map[string]string{"link": "a"}}
	for name := range s.files {
		if rest, ok := cutEnv(name, env); ok {
			l.Files = append(l.Files, rest)
		}
	}
	sortTexts(l.Files)
	return l, nil
}

// serve returns a server of shelves, in the order of names.
func serve(t testing.TB, change func(*config.Master), names []string, shelves map[string]*shelf) *Server {
	t.Helper()
	c := config.DefaultMaster()
	c.FileserverBackend = nil
	if change != nil {
		change(c)
	}
	s, err := New(Options{Config: c, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		s.backends = append(s.backends, named{shelves[n], n})
		if _, known := kinds[n]; !known {
			kinds[n] = kind{}
			t.Cleanup(func() { delete(kinds, n) })
		}
	}
	t.Cleanup(s.Close)
	return s
}
