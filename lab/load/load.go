package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Options say how much.
type Options struct {
	Program string // a built mom
	// Salt is the folder of an installed Salt, whose bin/salt-master and bin/salt-api serve in
	// the place of mom's. Salt's streams have no ids to come back with, so it has no Streams.
	Salt    string
	Dir     string // for the tree; it is left to the caller
	Minions int    // of the master. Default 20

	Clients  int // that send at the same time
	Requests int // of each

	Streams int // of events, all at the same time
	Returns int // that pass while they are open

	// Say is told what is being done; nil: nobody.
	Say io.Writer
}

// Figures are what came of it.
type Figures struct {
	Requests Requests
	Streams  Streams
	// Memory is the most that the processes of the API ever held, in bytes (VmHWM): after the
	// requests, and at the end.
	Memory [2]int64
}

// Faults are what must not be.
func (f Figures) Faults() (list []string) {
	if n := f.Requests.Failed; n > 0 {
		list = append(list, fmt.Sprintf("%d requests failed, the first with: %s", n, f.Requests.First))
	}
	if f.Streams.Untold > 0 {
		list = append(list, fmt.Sprintf("%d events were lost without a word", f.Streams.Untold))
	}
	if f.Streams.Doubled > 0 {
		list = append(list, fmt.Sprintf("%d events came twice", f.Streams.Doubled))
	}
	return list
}

// Write prints the figures.
func (f Figures) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%-22s %9s %9s %9s %9s %9s\n", "requests", "number", "p50 ms", "p99 ms", "max ms", "per s")
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	for _, k := range f.Requests.Kinds {
		_, e := fmt.Fprintf(w, "%-22s %9d %9.1f %9.1f %9.1f %9.1f\n", k.Name, k.Number, ms(k.P50), ms(k.P99), ms(k.Max), float64(k.Number)/f.Requests.Took.Seconds())
		err = errors.Join(err, e)
	}
	s := f.Streams
	_, e := fmt.Fprintf(w, "requests refused (503) and sent again: %d\n\nstreams %d, returns %d, in %.1f s: %d events delivered, %.0f per s\n"+
		"cut off and told: %d; came back: %d; gaps told: %d; lost and told: %d; lost without a word: %d; twice: %d\nmemory of the API: %.1f MiB after the requests, %.1f MiB at the end\n",
		f.Requests.Refused, s.Open, s.Returns, s.Took.Seconds(), s.Delivered, float64(s.Delivered)/max(s.Took.Seconds(), 1e-9),
		s.Cut, s.Resumed, s.Gaps, s.Told, s.Untold, s.Doubled, float64(f.Memory[0])/(1<<20), float64(f.Memory[1])/(1<<20))
	return errors.Join(err, e)
}

// Run does all of it.
func Run(ctx context.Context, o Options) (f Figures, err error) {
	if o.Minions <= 0 {
		o.Minions = 20
	}
	if o.Say == nil {
		o.Say = io.Discard
	}
	if o.Salt != "" && o.Streams > 0 {
		return f, errors.New("events of Salt have no ids, by which streams are held against each other: measure Salt with -streams 0")
	}
	w := &world{Options: o}
	defer func() { err = errors.Join(err, w.stop()) }()
	if err := w.grow(ctx); err != nil {
		return f, err
	}
	w.say("%d clients send %d requests each\n", o.Clients, o.Requests)
	if f.Requests, err = w.requests(ctx); err != nil {
		return f, err
	}
	f.Memory[0] = w.api.memory()
	w.say("%d streams are opened, and %d returns pass\n", o.Streams, o.Returns)
	if f.Streams, err = w.streams(ctx); err != nil {
		return f, err
	}
	f.Memory[1] = w.api.memory()
	return f, nil
}
