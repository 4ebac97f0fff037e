package bounds

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
)

// Drawn is the result of [Draw]: bounds of which about half are small.
type Drawn struct {
	Bounds
	Small []string // names of the bounds that were drawn small
	// Options are options of configuration files that are bounds, drawn small, by name. Some
	// apply only to nodes, others only to minions.
	Options map[string]string
}

// drawnOption is an option that is a bound. Options that say how long a promise holds
// (keep_jobs_seconds, publish_retention) are not included: small values would break the
// promises under test.
type drawnOption struct {
	name      string
	low, high int64
	minion    bool // for minions; otherwise for nodes
}

var drawnOptions = []drawnOption{
	{"max_handshakes", 1, 8, false},
	{"max_request_bytes", 65536, 200000, false},
	{"pub_hwm", 2, 8, false},
	{"outbox_max_rows", 10, 40, false},
	{"publish_retention_max_bytes", 65536, 100000, false},
	{"loop_interval", 1, 2, false},
	{"syndic_jid_forward_cache_hwm", 1, 5, false},
	{"event_return_queue", 1, 5, false},
	{"minion_jid_queue_hwm", 20, 60, true},
	{"max_pending_keys", 1, 5, false},
}

// DrawnOptions returns the options that [Draw] may set, for nodes or for minions.
func DrawnOptions(minion bool) (names []string) {
	for _, o := range drawnOptions {
		if o.minion == minion {
			names = append(names, o.name)
		}
	}
	return names
}

// Draw redraws the bounds by seed. It keeps each bound or draws it from its small range, with
// even chances, so that a bound meets large and small others. One seed in eight makes all small
// and one in eight none.
func Draw(seed uint64) Drawn {
	r := rand.New(rand.NewPCG(seed, 0x626f756e6473))
	d := Drawn{Bounds: Default(), Options: map[string]string{}}
	way := r.IntN(8)
	for _, x := range table() {
		field := reflect.ValueOf(&d.Bounds).Elem().Field(x.index)
		low, err1 := parse(field.Type(), x.Low)
		high, err2 := parse(field.Type(), x.High)
		if err1 != nil || err2 != nil || low > high {
			panic(fmt.Sprintf("bounds: the small range of %s is %s..%s", x.Name, x.Low, x.High))
		}
		// Draw the same number of random values in any case: a new bound at the end of the list
		// does not change those before it.
		small, n := r.IntN(2) == 0, low+r.Int64N(high-low+1)
		if way == 0 || way != 1 && !small {
			continue
		}
		field.SetInt(n)
		d.Small = append(d.Small, x.Name)
	}
	r = rand.New(rand.NewPCG(seed, 0x6f7074696f6e73))
	for _, o := range drawnOptions {
		small, n := r.IntN(2) == 0, o.low+r.Int64N(o.high-o.low+1)
		if way != 0 && (way == 1 || small) {
			d.Options[o.name] = strconv.FormatInt(n, 10)
		}
	}
	return d
}

// String returns the bounds that differ from the defaults, as name=value.
func (b Bounds) String() string {
	var out []string
	d := Default()
	for _, x := range table() {
		if t := b.Text(x.Name); t != d.Text(x.Name) {
			out = append(out, x.Name+"="+t)
		}
	}
	return strings.Join(out, " ")
}

// Settings returns the bounds that differ from the defaults as the value of the option bounds
// in a configuration file.
func (b Bounds) Settings() map[string]any {
	out := map[string]any{}
	d := Default()
	for _, x := range table() {
		if t := b.Text(x.Name); t != d.Text(x.Name) {
			out[x.Name] = t
		}
	}
	return out
}
