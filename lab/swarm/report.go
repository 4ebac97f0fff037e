package swarm

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// Seconds is a time that JSON shows in seconds.
type Seconds time.Duration

// MarshalJSON writes seconds to the microsecond.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Round(time.Microsecond).Seconds(), 'f', -1, 64), nil
}

// UnmarshalJSON reads seconds.
func (s *Seconds) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("seconds: %w", err)
	}
	*s = Seconds(f * float64(time.Second))
	return nil
}

func (s Seconds) String() string { return time.Duration(s).Round(time.Millisecond).String() }

// Phase is how many minions have come to something, and how long after the start.
type Phase struct {
	Done int     `json:"done"`
	P50  Seconds `json:"p50"`
	P99  Seconds `json:"p99"`
	Last Seconds `json:"last"`
}

// JobReport is the account of one job.
type JobReport struct {
	JID string `json:"jid"`
	Fun string `json:"fun"`
	// Minions is how many different ones took it; Received counts a second time too.
	Minions  int `json:"minions"`
	Received int `json:"received"`
	// Acknowledged are returns that the master took, AcknowledgedMinions different
	// minions among them.
	Acknowledged        int `json:"acknowledged"`
	AcknowledgedMinions int `json:"acknowledged_minions"`
	// Lost are returns given up after Salt's tries. Silent were never to be sent.
	// Waiting are on their way.
	Lost    int `json:"lost"`
	Silent  int `json:"silent"`
	Waiting int `json:"waiting"`
	// Doubled are minions that took it again, PassedOver publications of a jid that
	// the minion knew, Retried sends beyond the first.
	Doubled    int `json:"doubled"`
	PassedOver int `json:"passed_over"`
	Retried    int `json:"retried"`
	// First is when the first minion heard of it, LastAt the last acknowledgement.
	First  time.Time `json:"first"`
	LastAt time.Time `json:"last_at"`
	// P50 and P99 are from hearing it to the acknowledgement, of each minion; Last is
	// from First to LastAt.
	P50  Seconds `json:"p50"`
	P99  Seconds `json:"p99"`
	Last Seconds `json:"last"`
	// Work is what was fetched for it; nil: nothing.
	Work *Work `json:"work,omitempty"`
}

func (b bitset) count() (n int) {
	for _, w := range b {
		for ; w != 0; w &= w - 1 {
			n++
		}
	}
	return n
}

func (j *Job) report() JobReport {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := JobReport{
		JID: j.JID, Fun: j.Fun, Minions: j.took.count(), Received: j.received, Acknowledged: j.acks,
		AcknowledgedMinions: j.acked.count(), Lost: j.lost, Silent: j.silent, Waiting: j.received - j.acks - j.lost - j.silent,
		Doubled: j.doubled, PassedOver: j.passed, Retried: j.retried,
		First: j.first, LastAt: j.last, P50: Seconds(j.times.quantile(0.5)), P99: Seconds(j.times.quantile(0.99)),
		Work: j.work.report(),
	}
	if !j.last.IsZero() {
		r.Last = Seconds(j.last.Sub(j.first))
	}
	return r
}

// Totals add up jobs.
type Totals struct {
	Jobs         int `json:"jobs"`
	Received     int `json:"received"`
	Acknowledged int `json:"acknowledged"`
	Lost         int `json:"lost"`
	Silent       int `json:"silent"`
	Waiting      int `json:"waiting"`
	Doubled      int `json:"doubled"`
	PassedOver   int `json:"passed_over"`
	Retried      int `json:"retried"`
}

func (t *Totals) add(r JobReport) {
	t.Jobs++
	t.Received += r.Received
	t.Acknowledged += r.Acknowledged
	t.Lost += r.Lost
	t.Silent += r.Silent
	t.Waiting += r.Waiting
	t.Doubled += r.Doubled
	t.PassedOver += r.PassedOver
	t.Retried += r.Retried
}

// Connections are what befell them.
type Connections struct {
	Up      int64 `json:"up"` // subscriptions that stand now
	Opened  int64 `json:"opened"`
	Refused int64 `json:"refused"` // nobody listened, or no port or descriptor was left
	Cut     int64 `json:"cut"`     // closed by the master in the handshake or with a request under way
}

// Report is the account of a swarm.
type Report struct {
	Minions  int           `json:"minions"`
	Stock    int           `json:"stock"`
	Ours     int           `json:"ours"`
	Down     int           `json:"down"`
	Protocol int           `json:"protocol"`
	Ran      Seconds       `json:"ran"`
	SignedIn Phase         `json:"signed_in"`
	Ready    Phase         `json:"ready"` // subscribed, and the start event acknowledged
	SignIns  int64         `json:"sign_ins"`
	Conns    Connections   `json:"connections"`
	Requests RequestReport `json:"requests"`
	Jobs     []JobReport   `json:"jobs"`
	Totals   Totals        `json:"totals"`
	// Inquiries are all saltutil.find_job together; they are not among Jobs and Totals.
	Inquiries JobReport `json:"inquiries"`
	Memory    Memory    `json:"memory"`
}

// RequestReport is what went wrong with requests other than a connection's end.
type RequestReport struct {
	Refused    int64 `json:"sign_ins_refused"`
	Rejected   int64 `json:"rejected"`  // answered with something that is no acknowledgement
	TimedOut   int64 `json:"timed_out"` // sends without an answer in time
	Abandoned  int64 `json:"abandoned"` // pillar requests and events given up
	Unreadable int64 `json:"unreadable_publications"`
	Fallen     int64 `json:"fallen"` // minions that died or left with a herd
}

// Memory of the process.
type Memory struct {
	Resident  int64 `json:"resident_bytes"`      // now
	Peak      int64 `json:"peak_bytes"`          // at most; 0: not known on this system
	PerMinion int64 `json:"peak_bytes_a_minion"` // Peak, or Resident, by the minions
}

// JSON writes the report.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Table writes the report for people.
func (r Report) Table(w io.Writer) error {
	fmt.Fprintf(w, "%d minions: %d stock (protocol %d), %d of ours, %d down; ran %s\n", r.Minions, r.Stock, r.Protocol, r.Ours, r.Down, r.Ran)
	fmt.Fprintf(w, "signed in %d: p50 %s, p99 %s, last %s; ready %d: last %s\n", r.SignedIn.Done, r.SignedIn.P50, r.SignedIn.P99, r.SignedIn.Last, r.Ready.Done, r.Ready.Last)
	fmt.Fprintf(w, "connections: %d opened, %d refused, %d cut; requests: %d sign-ins refused, %d rejected, %d timed out, %d given up\n",
		r.Conns.Opened, r.Conns.Refused, r.Conns.Cut, r.Requests.Refused, r.Requests.Rejected, r.Requests.TimedOut, r.Requests.Abandoned)
	fmt.Fprintf(w, "memory: %.1f MB, at most %.1f: %.1f KB a minion\n\n", mega(r.Memory.Resident), mega(r.Memory.Peak), float64(r.Memory.PerMinion)/1000)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "jid\tfunction\treceived\tacknowledged\tlost\tsilent\twaiting\tdoubled\tretried\tp50\tp99\tlast\t")
	for _, j := range r.Jobs {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t\n", j.JID, j.Fun, j.Received, j.Acknowledged, j.Lost, j.Silent, j.Waiting, j.Doubled, j.Retried, j.P50, j.P99, j.Last)
	}
	fmt.Fprintf(t, "%d jobs\t\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\t\t\t\n", r.Totals.Jobs, r.Totals.Received, r.Totals.Acknowledged, r.Totals.Lost, r.Totals.Silent, r.Totals.Waiting, r.Totals.Doubled, r.Totals.Retried)
	if q := r.Inquiries; q.Received > 0 {
		fmt.Fprintf(t, "inquiries\t%s\t%d\t%d\t%d\t%d\t%d\t\t%d\t%s\t%s\t\t\n", q.Fun, q.Received, q.Acknowledged, q.Lost, q.Silent, q.Waiting, q.Retried, q.P50, q.P99)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return r.fetched(w)
}

// fetched is the table of what was fetched for jobs.
func (r Report) fetched(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "\njid\tfunction\tminions\tfailed\trequests\tMiB\tfiles\twrong\theld\tabsent\tpillars\tfaulty\tforeign\tfirst\tp50\tp99\tlast\tMiB/s\t"
	for _, j := range r.Jobs {
		k := j.Work
		if k == nil {
			continue
		}
		if head != "" {
			fmt.Fprintln(t, head)
			head = ""
		}
		mib := float64(k.Bytes) / (1 << 20)
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%.1f\t\n", j.JID, j.Fun, k.Minions, k.Failed, k.Requests, mib, k.Files, k.Wrong, k.Held, k.Absent,
			k.Pillars, k.Faulty, k.Foreign, k.First, k.P50, k.P99, k.Last, mib/max(time.Duration(k.Last).Seconds(), 1e-9))
	}
	return t.Flush()
}

func mega(n int64) float64 { return float64(n) / 1e6 }
