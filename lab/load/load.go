package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Options set the size of a load.
type Options struct {
	Program string // a built mom
	// Salt is the directory of an installed Salt, whose bin/salt-master and bin/salt-api serve in
	// place of mom's. Salt's streams have no ids to resume from, so Streams must be 0.
	Salt    string
	Dir     string // for the tree; the caller removes it
	Minions int    // Default 20

	Clients  int // that send at the same time
	Requests int // per client

	Streams int // concurrent streams of events
	Returns int // that pass while the streams are open

	// Say receives progress messages; nil: none.
	Say io.Writer
}

// Figures is the result of a run.
type Figures struct {
	Requests Requests
	Streams  Streams
	// Memory is the peak memory of the API's processes in bytes (VmHWM): after the requests, and
	// at the end.
	Memory [2]int64
}

// Faults lists what is wrong with the result.
func (f Figures) Faults() (list []string) {
	if n := f.Requests.Failed; n > 0 {
		list = append(list, fmt.Sprintf("%d requests failed, the first with: %s", n, f.Requests.First))
	}
	if f.Streams.Silent > 0 {
		list = append(list, fmt.Sprintf("%d events were lost without a notice", f.Streams.Silent))
	}
	if f.Streams.Doubled > 0 {
		list = append(list, fmt.Sprintf("%d events were delivered twice", f.Streams.Doubled))
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
		"cut off: %d; resumed: %d; notices of gaps: %d; lost with notice: %d; lost without: %d; twice: %d\nmemory of the API: %.1f MiB after the requests, %.1f MiB at the end\n",
		f.Requests.Refused, s.Open, s.Returns, s.Took.Seconds(), s.Delivered, float64(s.Delivered)/max(s.Took.Seconds(), 1e-9),
		s.Cut, s.Resumed, s.Gaps, s.Announced, s.Silent, s.Doubled, float64(f.Memory[0])/(1<<20), float64(f.Memory[1])/(1<<20))
	return errors.Join(err, e)
}

// Run starts a master, its minions and the API, sends the requests and reads the streams.
func Run(ctx context.Context, o Options) (f Figures, err error) {
	if o.Minions <= 0 {
		o.Minions = 20
	}
	if o.Say == nil {
		o.Say = io.Discard
	}
	if o.Salt != "" && o.Streams > 0 {
		return f, errors.New("Salt's events have no ids to compare streams by; measure Salt with --streams 0")
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
	w.say("opening %d streams; %d returns pass\n", o.Streams, o.Returns)
	if f.Streams, err = w.streams(ctx); err != nil {
		return f, err
	}
	f.Memory[1] = w.api.memory()
	return f, nil
}
