package runners

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// noReason is the reason for a missing minion if the account of the job was not kept, since only
// another master followed it.
const noReason = engine.NoResponse

// job is everything known about one job.
type job struct {
	jid     string
	only    string // ask for this minion only; "" means all
	load    returners.Load
	known   bool // load is set
	returns []returners.Return
	minions []string // expected to answer, sorted
	paths   map[string]string
	missing map[string]jobevent.Absence
	open    bool
}

// unknownJob returns the error for a job that is not found.
func unknownJob(jid string) error {
	return fmt.Errorf("no job with the id %q is in the job cache", jid)
}

// readJob reads a job from the job cache and the ledger. It returns false if neither has it.
func readJob(ctx context.Context, c *Call, id string) (*job, bool, error) {
	store, err := c.Env.Jobs(ctx, c.Text("ext_source"))
	if err != nil {
		return nil, false, err
	}
	j := &job{jid: id, only: c.Text("id"), paths: map[string]string{}, missing: map[string]jobevent.Absence{}}
	if j.load, j.known, err = store.GetLoad(ctx, id); err != nil {
		return nil, false, fmt.Errorf("read job %s: %w", id, err)
	}
	if j.returns, err = j.read(ctx, store); err != nil {
		return nil, false, fmt.Errorf("read the returns of job %s: %w", id, err)
	}
	xs, err := store.GetExpectations(ctx, id)
	if err != nil {
		return nil, false, fmt.Errorf("read the expectations of job %s: %w", id, err)
	}
	account, inLedger := c.Env.State(id)
	if tops, ok := store.(Accounts); ok && !inLedger {
		account, inLedger = tops.Account(ctx, id)
	}
	j.open = inLedger && account.Open()
	j.count(xs, account)
	return j, j.known || inLedger || len(j.returns) > 0 || len(xs) > 0, nil
}

// read returns the returns of the job, limited to j.only if set.
func (j *job) read(ctx context.Context, store returners.Reader) ([]returners.Return, error) {
	if j.only == "" {
		return store.GetReturns(ctx, j.jid)
	}
	r, ok, err := store.GetReturn(ctx, j.jid, j.only)
	if !ok || err != nil {
		return nil, err
	}
	return []returners.Return{r}, nil
}

// count computes which minions were expected and which are missing.
func (j *job) count(xs []returners.Expectation, account engine.Account) {
	asked, returned := map[string]bool{}, map[string]bool{}
	expect := func(id, path string) bool {
		if j.only != "" && id != j.only {
			return false
		}
		asked[id] = true
		if len(path) > len(j.paths[id]) {
			j.paths[id] = path
		}
		return true
	}
	for _, x := range xs {
		for _, id := range x.Minions {
			expect(id, x.Node)
		}
		for id := range x.Missing {
			expect(id, x.Node)
		}
	}
	for id, m := range engine.Absent(xs) {
		if expect(id, m.Path) {
			j.missing[id] = m
		}
	}
	for id, path := range account.Waiting {
		expect(id, path)
	}
	for id, m := range account.Missing {
		if expect(id, m.Path) {
			j.missing[id] = m
		}
	}
	if len(xs) == 0 && j.known { // the load may list the minions of a job of another master
		if d, err := wire.DecodeMap(j.load.Raw); err == nil {
			for _, id := range d.Strings("minions") {
				expect(id, "")
			}
		}
	}
	for _, r := range j.returns {
		returned[r.ID] = true
		expect(r.ID, r.Via)
		delete(j.missing, r.ID)
	}
	for id := range asked {
		j.minions = append(j.minions, id)
		if _, known := j.missing[id]; !known && !returned[id] && !j.open {
			j.missing[id] = jobevent.Absence{Reason: noReason, Path: j.paths[id]}
		}
	}
	sort.Strings(j.minions)
}

// record returns the job in Salt's form, without results. Our additions, Missing and Paths, are
// present unless empty.
func (j *job) record() *wire.Map {
	m := loadRecord(j.load, j.known)
	if !j.known && len(j.returns) > 0 {
		// The load has not arrived yet or was cleaned. Use what the returns contain.
		m = wire.NewMap("Function", j.returns[0].Fun, "Arguments", []any{}, "Target", "unknown-target", "Target-type", "list", "User", "root")
	}
	if len(j.minions) > 0 {
		m.Set("Minions", j.minions)
		j.completeTarget(m)
	}
	m.Set("StartTime", jid.Pretty(j.jid))
	j.additions(m)
	return m
}

// completeTarget adds the minions that had to answer to the target of a job that grew. In a cluster the part
// that named them may be missing here: the top that sent it has restarted since.
func (j *job) completeTarget(m *wire.Map) {
	if j.load.Part() == 0 || m.String("Target-type") != "list" {
		return
	}
	listed := m.List("Target")
	if len(listed) == 0 {
		return
	}
	named := make(map[string]bool, len(listed))
	for _, v := range listed {
		if id, ok := v.(string); ok {
			named[id] = true
		}
	}
	listed = slices.Clip(listed)
	for _, id := range j.minions {
		//mutant:grown-jobs-list-all
		if !named[id] {
			listed = append(listed, id)
		}
	}
	m.Set("Target", listed)
}

func (j *job) additions(m *wire.Map) {
	missing, paths := wire.NewMap(), wire.NewMap()
	for _, id := range j.minions {
		if g, ok := j.missing[id]; ok {
			missing.Set(id, g.Reason)
		}
		if p := j.paths[id]; p != "" {
			paths.Set(id, p)
		}
	}
	if missing.Len() > 0 {
		m.Set("Missing", missing)
	}
	if paths.Len() > 0 {
		m.Set("Paths", paths)
	}
}

// result returns the returns in the form of Salt's job cache.
func (j *job) result() *wire.Map {
	out := wire.NewMap()
	for _, r := range j.returns {
		m := wire.NewMap("return", valueOf(r), "retcode", r.Retcode, "success", r.Success)
		if r.Out != "" {
			m.Set("out", r.Out)
		}
		out.Set(r.ID, m)
	}
	return out
}

// valueOf decodes a result. It returns nil for a result that was not cached.
func valueOf(r returners.Return) any {
	if len(r.Value) == 0 {
		return nil
	}
	v, err := wire.Decode(r.Value)
	if err != nil {
		return fmt.Sprintf("the stored result of %s cannot be read: %v", r.ID, err)
	}
	return v
}

// loadRecord describes a job by its load.
func loadRecord(l returners.Load, known bool) *wire.Map {
	if !known {
		return wire.NewMap("Error", "Cannot contact returner or no job with this jid")
	}
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		return wire.NewMap("Error", fmt.Sprintf("the stored load of this job cannot be read: %v", err))
	}
	pick := func(def any, names ...string) any {
		for _, n := range names {
			if v, ok := d.Get(n); ok && v != nil {
				return v
			}
		}
		return def
	}
	user := l.User
	if user == "" {
		user = "root"
	}
	// The load of a minion's own job (salt-call, schedule) is its return.
	tgtType := any("list")
	if !d.Has("tgt") {
		tgtType = "glob"
	}
	args := pick([]any{}, "arg", "fun_args")
	if _, ok := args.([]any); !ok {
		args = []any{args}
	}
	m := wire.NewMap("Function", pick("unknown-function", "fun"), "Arguments", args,
		"Target", pick("unknown-target", "tgt", "id"), "Target-type", pick(tgtType, "tgt_type"), "User", pick(user, "user"))
	if meta := metadata(d); meta != nil {
		m.Set("Metadata", meta)
	}
	return m
}

// metadata returns the metadata of a job, given by --metadata or the keyword metadata.
func metadata(load *wire.Map) any {
	if v, ok := load.Get("metadata"); ok {
		return v
	}
	if kw := load.Map("kwargs"); kw != nil {
		if v, ok := kw.Get("metadata"); ok {
			return v
		}
	}
	for _, a := range load.List("arg") {
		if kw, ok := a.(*wire.Map); ok && kw.Bool("__kwarg__") && kw.Has("metadata") {
			v, _ := kw.Get("metadata")
			return v
		}
	}
	return nil
}
