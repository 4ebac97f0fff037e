package batchstate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// The drivers of a batch, which publish its slices.
const (
	DriverMaster = "master"
	DriverCLI    = "cli"
)

// State is the state of a batch. Times are Unix seconds, as in Salt's file.
type State struct {
	JID     string
	All     []string           // minions, in the order in which they begin
	Pending []string           // those that have not begun
	Active  map[string]float64 // running minions, with their start times
	Done    map[string]int     // those that have returned, with the return code
	Failed  map[string]string  // those that will not return, with the reason
	Wait    []float64          // until when the slots of minions that are done stay taken
	Size    int

	Fun, Arg, Kwargs wire.Raw // of the job; Kwargs may be nil
	Tgt              any      // whom the user meant
	TgtType          string
	Ret, User        string
	Timeout, Gather  float64 // seconds

	Failhard              bool
	BatchWait             float64 // seconds
	Created, LastProgress float64
	Halted                bool
	Reason                string // why it was halted
	Driver                string
	By                    By
}

// By identifies who started a batch, in addition to the user of its job. The zero value is the
// master's own user.
type By struct {
	Owner string // of the key that started it
	Eauth string // login service of the user; "": a user of the machine
	Rules []any  // of that login
	// Extra are further fields of the publication, from the kwargs of its load.
	Extra wire.Raw
}

// New returns the state of a new batch. Minions start in the given order.
func New(minions []string, size int, now time.Time) *State {
	return &State{
		All: minions, Pending: minions, Active: map[string]float64{}, Done: map[string]int{}, Failed: map[string]string{}, Size: size,
		Created: Unix(now), Driver: DriverMaster,
	}
}

// Clone returns a deep copy of the mutable state.
func (s *State) Clone() *State {
	c := *s
	c.Pending, c.Wait = slices.Clone(s.Pending), slices.Clone(s.Wait)
	c.Active, c.Done, c.Failed = maps.Clone(s.Active), maps.Clone(s.Done), maps.Clone(s.Failed)
	return &c
}

// Over reports whether the batch has ended.
func (s *State) Over() bool { return s.Halted || len(s.Pending) == 0 && len(s.Active) == 0 }

// Summary returns the state as the batch runners report it, in the form of Salt 3008.
func (s *State) Summary(now time.Time) *wire.Map {
	m := wire.NewMap("jid", s.JID, "fun", s.function(), "tgt", s.Tgt, "tgt_type", s.TgtType, "total", len(s.All), "completed", len(s.Done),
		"active", len(s.Active), "pending", len(s.Pending), "failed", len(s.Failed), "batch_size", s.Size, "halted", s.Halted, "halted_reason", s.reason(),
		"driver", s.Driver, "user", s.User, "created", s.Created, "last_progress", s.LastProgress, "age_seconds", nil)
	if s.LastProgress > 0 {
		m.Set("age_seconds", max(0, Unix(now)-s.LastProgress))
	}
	return m
}

// function returns a name, or a list of names.
func (s *State) function() any {
	v, err := wire.Decode(s.Fun)
	if err != nil {
		return ""
	}
	return v
}

// reason returns the reason, or nil (None in Salt) without one.
func (s *State) reason() any {
	if s.Reason == "" {
		return nil
	}
	return s.Reason
}

// Encode returns the file content of a state.
func (s *State) Encode() ([]byte, error) {
	raw, err := wire.Encode(s.fields())
	if err != nil {
		return nil, fmt.Errorf("encode batch %s: %w", s.JID, err)
	}
	b, err := wire.ToBus(raw)
	if err != nil {
		return nil, fmt.Errorf("encode batch %s: %w", s.JID, err)
	}
	return b, nil
}

// fields returns a state as a map, in the form of Salt 3008.
func (s *State) fields() *wire.Map {
	done := wire.NewMap()
	for _, id := range slices.Sorted(maps.Keys(s.Done)) {
		done.Set(id, wire.NewMap("retcode", s.Done[id]))
	}
	wait := make([]any, len(s.Wait))
	for i, t := range s.Wait {
		wait[i] = t
	}
	m := wire.NewMap("jid", s.JID, "all_minions", s.All, "pending", s.Pending, "active", sorted(s.Active), "done", done, "failed", sorted(s.Failed), "wait", wait,
		"batch_size", s.Size, "fun", orNil(s.Fun), "arg", orNil(s.Arg), "kwargs", orNil(s.Kwargs), "tgt", s.Tgt, "tgt_type", s.TgtType, "failhard", s.Failhard,
		"batch_wait", s.BatchWait, "timeout", s.Timeout, "gather_job_timeout", s.Gather, "last_progress", s.LastProgress, "created", s.Created,
		"halted", s.Halted, "halted_reason", s.reason(), "driver", s.Driver, "ret", s.Ret, "user", s.User)
	if s.By.Owner != "" {
		m.Set("mom", wire.NewMap("owner", s.By.Owner, "eauth", s.By.Eauth, "rules", s.By.Rules, "extra", orNil(s.By.Extra)))
	}
	return m
}

func orNil(r wire.Raw) any {
	if len(r) == 0 {
		return nil
	}
	return r
}

func sorted[V any](of map[string]V) *wire.Map {
	m := wire.NewMap()
	for _, k := range slices.Sorted(maps.Keys(of)) {
		m.Set(k, of[k])
	}
	return m
}

// ErrState is wrapped if a file contains no valid state of a batch.
var ErrState = errors.New("not the state of a batch")

// Decode parses the file content of a state.
func Decode(b []byte) (*State, error) {
	d, err := wire.DecodeMap(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	s := &State{
		JID: d.String("jid"), All: d.Strings("all_minions"), Pending: d.Strings("pending"), Active: map[string]float64{}, Done: map[string]int{}, Failed: map[string]string{},
		Size: int(min(max(d.Int("batch_size"), 1), math.MaxInt32)), TgtType: d.String("tgt_type"), Ret: d.String("ret"), User: d.String("user"), Timeout: number(d, "timeout"), Gather: number(d, "gather_job_timeout"),
		Failhard: d.Bool("failhard"), BatchWait: number(d, "batch_wait"), Created: number(d, "created"), LastProgress: number(d, "last_progress"),
		Halted: d.Bool("halted"), Reason: d.String("halted_reason"), Driver: d.String("driver"),
	}
	s.Tgt, _ = d.Get("tgt")
	if !jid.Valid(s.JID) {
		return nil, fmt.Errorf("%w: jid %q is not a job id", ErrState, s.JID)
	}
	for name, to := range map[string]*wire.Raw{"fun": &s.Fun, "arg": &s.Arg, "kwargs": &s.Kwargs} {
		if *to, err = wire.Field(b, name); err != nil {
			return nil, fmt.Errorf("%w: field %s: %w", ErrState, name, err)
		}
		if wire.IsNil(*to) {
			*to = nil
		}
	}
	if len(s.Fun) == 0 {
		return nil, fmt.Errorf("%w: no function", ErrState)
	}
	each(d.Map("active"), func(id string, m *wire.Map) { s.Active[id] = number(m, id) })
	each(d.Map("done"), func(id string, m *wire.Map) { s.Done[id] = retcode(m.Map(id)) })
	each(d.Map("failed"), func(id string, m *wire.Map) { s.Failed[id] = m.String(id) })
	for _, v := range d.List("wait") {
		if t, ok := v.(float64); ok && finite(t) {
			s.Wait = append(s.Wait, t)
		}
	}
	if by := d.Map("mom"); by != nil {
		s.By = By{Owner: by.String("owner"), Eauth: by.String("eauth"), Rules: by.List("rules")}
		if extra := by.Map("extra"); extra != nil {
			if s.By.Extra, err = wire.Encode(extra); err != nil {
				return nil, fmt.Errorf("%w: field mom: %w", ErrState, err)
			}
		}
	}
	return s, nil
}

func each(m *wire.Map, do func(id string, m *wire.Map)) {
	m.Range(func(k, _ any) bool {
		if id, ok := k.(string); ok && id != "" {
			do(id, m)
		}
		return true
	})
}

// retcode returns the return code in Salt's file: a number, or the maximum of the numbers in a map.
func retcode(ret *wire.Map) int {
	if ret == nil {
		return 0
	}
	code := ret.Int("retcode")
	several := ret.Map("retcode")
	several.Range(func(k, _ any) bool {
		if name, ok := k.(string); ok {
			code = max(code, several.Int(name))
		}
		return true
	})
	return int(min(max(code, math.MinInt32), math.MaxInt32))
}

// number parses a field that Salt writes as an integer or a float; invalid values are 0.
func number(d *wire.Map, name string) float64 {
	v, _ := d.Get(name)
	switch n := v.(type) {
	case float64:
		if finite(n) {
			return n
		}
	case int64:
		return float64(n)
	}
	return 0
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// Unix returns a time as Salt writes it.
func Unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
