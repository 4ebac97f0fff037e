package schedule

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// stage runs a table according to a script.
type stage struct {
	t   *Table
	now Moment
	// hold keeps runs active until the script ends them.
	hold bool
}

const clockForm = "2006-01-02 15:04:05"

// TestTable runs the scripts in testdata. Their commands:
//
//	clock TIME                sets the wall clock; the age is 0
//	load                      loads the schedule in the input, in YAML
//	pass for=SPAN [step=SPAN] lets time pass and prints each run; step is 1s
//	wall by=SPAN              moves the wall clock alone
//	hold / end NAME           keeps runs active from now on; ends one of them
//	now NAME                  requests a run
//	status                    prints the status of the jobs
func TestTable(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &stage{t: New(Options{Random: func(n int) int { return n / 2 }, Whens: func(name string) (any, bool) {
			return "5:00pm", name == "tea"
		}})}
		datadriven.RunTest(t, path, s.do)
	})
}

func (s *stage) do(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "clock":
		at, err := time.ParseInLocation(clockForm, strings.TrimSpace(d.Input), place(t))
		if err != nil {
			t.Fatal(err)
		}
		s.now = Moment{Wall: at}
		return ""
	case "load":
		m := parse(t, d.Input)
		var out strings.Builder
		for _, err := range s.t.Load(m, s.now) {
			fmt.Fprintln(&out, err)
		}
		return out.String()
	case "pass":
		return s.pass(span(t, d, "for", 0), span(t, d, "step", time.Second))
	case "wall":
		s.now.Wall = s.now.Wall.Add(span(t, d, "by", 0))
		return ""
	case "hold":
		s.hold = true
		return ""
	case "end":
		s.t.Done(d.CmdArgs[0].Key)
		return ""
	case "now":
		r, found, free := s.t.Now(d.CmdArgs[0].Key)
		if !free {
			return fmt.Sprintf("found %v free %v\n", found, free)
		}
		return r.Function + "\n"
	case "status":
		return s.status()
	}
	t.Fatalf("%s: no verb %s", d.Pos, d.Cmd)
	return ""
}

func (s *stage) pass(for_, step time.Duration) string {
	var out strings.Builder
	for end := s.now.Age + for_; s.now.Age < end; {
		s.now.Age += step
		s.now.Wall = s.now.Wall.Add(step)
		for _, r := range s.t.Tick(s.now) {
			fmt.Fprintf(&out, "%s %s %s", s.now.Wall.Format(clockForm), r.Name, r.Function)
			if r.Missed >= time.Second {
				fmt.Fprintf(&out, " missed by %v", r.Missed)
			}
			fmt.Fprintln(&out)
			if !s.hold {
				s.t.Done(r.Name)
			}
		}
	}
	if out.Len() == 0 {
		return "nothing\n"
	}
	return out.String()
}

func (s *stage) status() string {
	var out strings.Builder
	at := func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.Format(clockForm)
	}
	for _, j := range s.t.Statuses(s.now) {
		fmt.Fprintf(&out, "%s next %s, last %s, skipped %q, %d running, enabled %v\n", j.Key, at(j.Next), at(j.Last), j.Skipped, j.Running, j.Enabled)
	}
	return out.String()
}

func place(t *testing.T) *time.Location {
	t.Helper()
	l, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func span(t *testing.T, d *datadriven.TestData, name string, def time.Duration) time.Duration {
	t.Helper()
	var text string
	if !d.HasArg(name) {
		return def
	}
	d.ScanArgs(t, name, &text)
	v, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parse(t *testing.T, text string) *value.Map {
	t.Helper()
	v, err := pyfmt.ReadYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := v.(*value.Map)
	if !ok {
		t.Fatalf("%T is not a mapping", v)
	}
	return m
}

// A schedule with too many jobs is cut, and a fault says so.
func TestTable_Bound(t *testing.T) {
	m := value.NewMap()
	for i := range MaxJobs + 5 {
		m.Set(fmt.Sprintf("j%d", i), value.NewMap("function", "test.ping", "seconds", 5))
	}
	s := New(Options{})
	faults := s.Load(m, Moment{Wall: time.Unix(0, 0)})
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "job j10000 and those behind it are ignored") {
		t.Errorf("%v", faults)
	}
	if n := len(s.Statuses(Moment{})); n != MaxJobs {
		t.Errorf("%d jobs", n)
	}
}

// An interval stays in step although ticks come a little late.
func TestTable_InStep(t *testing.T) {
	s := New(Options{})
	s.Load(parse(t, "a: {function: test.ping, seconds: 20}"), Moment{})
	n := 0
	for i := range 200 {
		for range s.Tick(Moment{Age: time.Duration(i) * (time.Second + time.Millisecond)}) {
			n++
			s.Done("a")
		}
	}
	if n != 9 { // in 199 seconds
		t.Errorf("%d runs", n)
	}
}

// Any schedule is accepted or refused, and a due job is returned once.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"interval", "wall", "limits", "faults"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("a: {function: test.ping, cron: '* * * * *', splay: {start: 1, end: 5}}")
	f.Add("a: {function: test.ping, when: ['Monday 5:00pm', 5pm], range: {start: 8am, end: 9am}}")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pyfmt.ReadYAML([]byte(text))
		m, ok := v.(*value.Map)
		if err != nil || !ok {
			return
		}
		s := New(Options{})
		now := Moment{Wall: time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)}
		s.Load(m, now)
		for range 50 {
			now.Wall, now.Age = now.Wall.Add(time.Hour), now.Age+time.Hour
			seen := map[*Job]bool{}
			for _, r := range s.Tick(now) {
				if seen[r.Job] {
					t.Fatalf("%s is due twice at once", r.Name)
				}
				seen[r.Job] = true
				s.Done(r.Name)
			}
		}
		s.Statuses(now)
	})
}
