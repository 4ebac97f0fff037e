package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
)

const (
	// lookupWait bounds the wait for each part of an answer.
	lookupWait = time.Second
	// maxLookup bounds the bytes of all parts of an answer.
	maxLookup = 128 << 20
)

var (
	errMuch  = errors.New("the answer exceeds 128 MiB")
	errStuck = errors.New("the answer makes no progress")
)

// answer is what another top answers.
type answer struct {
	link *link
	raw  wire.Raw
}

// askAll asks all connected tops at once, and returns the answers in the order of cluster_peers. A
// top that does not answer in time is logged.
func (s *Service) askAll(ctx context.Context, question *wire.Map) []answer {
	found := make([]wire.Raw, len(s.links))
	var wg sync.WaitGroup
	for i, l := range s.links {
		if l.up() {
			wg.Go(func() { found[i] = l.lookup(ctx, question) })
		}
	}
	wg.Wait()
	var out []answer
	for i, raw := range found {
		if raw != nil {
			out = append(out, answer{s.links[i], raw})
		}
	}
	return out
}

// lookup asks the other top. It returns nil if the top does not answer or refuses.
func (l *link) lookup(ctx context.Context, question *wire.Map) wire.Raw {
	ctx, cancel := context.WithTimeout(ctx, lookupWait)
	defer cancel()
	load := question.Clone()
	load.Set("cmd", lookupCommand)
	var found wire.Raw
	raw, err := l.ch.Request(ctx, load)
	if err == nil {
		err = wire.Fields(raw, func(key string, val wire.Raw) error {
			switch key {
			case "answer":
				found = val
			case "error":
				text, err := wire.Str(val)
				return cmp.Or(err, errors.New(text))
			}
			return nil
		})
	}
	if err == nil && found == nil {
		err = fmt.Errorf("it does not know %s", lookupCommand)
	}
	if err != nil {
		l.failed(err)
		return nil
	}
	return found
}

// failed logs that the other top did not answer a lookup.
func (l *link) failed(err error) {
	l.s.o.Log.Warn("other top did not answer a lookup", "master", l.status().name(), "err", err)
}

// Active returns the open jobs of the connected tops, as jobs.active shows them, by top.
func (s *Service) Active(ctx context.Context) map[string]*wire.Map {
	out := map[string]*wire.Map{}
	for _, a := range s.askAll(ctx, wire.NewMap("what", askActive)) {
		jobs, err := wire.DecodeMap(a.raw)
		if err != nil {
			a.link.failed(err)
			continue
		}
		out[a.link.status().ID] = jobs
	}
	return out
}
