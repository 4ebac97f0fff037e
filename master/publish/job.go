package publish

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/returners"
)

// Job is one publication being prepared.
type Job struct {
	JID   string
	fun   string
	tgt   any
	load  wire.PublishLoad
	extra *wire.Map             // the load's kwargs
	eauth string                // external auth backend of the user; "" for a user of the machine
	rules []any                 // access rules passed to the nodes below; none: everything is allowed
	list  *jobfields.TargetList // ids in the minions' publication if a rule with a target allowed the job
	ownership.Audience
	fromAbove bool             // from a master above, through this master's own user
	asks      []returners.Note // requesters above
	trace     tracing.Carrier  // OpenTelemetry trace
	until     time.Time        // deadline of a queued job, or zero
	grown     *extension       // set if it extends a job
	shared    *shared          // set if another top publishes it
}

// Read parses the load, resolves the target and sets the jid. A trusted sender may act for any
// user, as the forwarder of this node does.
func (s *Service) Read(p wire.PublishLoad, trusted bool) (*Job, error) {
	tgt, err := targetOf(p.Tgt)
	if err != nil {
		return nil, err
	}
	//mutant:target-control-characters,hostile-target-blanks
	if err := target.Clean(tgt, p.TgtType); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if p.TgtType == "" {
		p.TgtType = "glob"
	}
	if tgt, err = s.expanded(&p, tgt, trusted && p.JID != ""); err != nil {
		return nil, err
	}
	j := &Job{fun: wire.FunName(p.Fun), tgt: tgt}
	if j.extra, err = p.DecodedKwargs(); err != nil {
		return nil, err
	}
	for _, field := range privateKwargs {
		j.extra.Delete(field)
	}
	if j.until, err = s.o.Publications.QueueUntil(p, j.extra); err != nil {
		return nil, err
	}
	if j.extra.Delete(publications.QueueField); !j.until.IsZero() {
		j.extra.Set(publications.QueueField, j.until.Unix()) // stored, and sent to the nodes below
	}
	if j.Audience, err = s.o.Policy.Match(tgt, p.TgtType, j.extra.String("delimiter")); err != nil {
		return nil, err
	}
	j.Audience = j.Audience.For(funsOf(p.Fun))
	//mutant:parent-is-a-key
	j.fromAbove = p.JID != "" && trusted
	if !j.fromAbove {
		for _, field := range []string{"user", "master_id", "id", jobfields.SignatureField, returners.PartField} { // set by nodes only
			j.extra.Delete(field)
		}
	}
	//mutant:cve2025-22242-any-jid
	if p.JID == "" {
		p.JID = s.o.JID()
	} else if !jid.Valid(p.JID) {
		return nil, fmt.Errorf("jid %q is not a job id", p.JID)
	}
	j.JID, j.load = p.JID, p
	return j, nil
}

// funsOf returns the functions of a job.
func funsOf(fun wire.Raw) []string {
	if funs, err := wire.Strings(fun); err == nil && wire.IsList(fun) {
		return funs
	}
	return []string{wire.FunName(fun)}
}

// privateKwargs are kwargs meant for this master only: credentials, and auth_list, which this
// master sets itself.
//
//mutant:login-is-not-published
var privateKwargs = []string{"auth_list", "token", "password", "username", "eauth", "key"}

// expanded replaces node groups and places in the tree in the target of a load. Both are those of
// the master where the job starts; loads from above have none left.
func (s *Service) expanded(p *wire.PublishLoad, tgt any, fromAbove bool) (any, error) {
	out, kind, err := target.ExpandTarget(tgt, p.TgtType, s.o.Config.Nodegroups)
	if err == nil && !fromAbove {
		out, err = target.ExpandPlaces(out, kind, s.o.Policy.Where)
	}
	if err != nil {
		return nil, fmt.Errorf("target %v: %w", tgt, err)
	}
	//mutant:node-groups-are-expanded
	if kind == p.TgtType && reflect.DeepEqual(out, tgt) {
		return tgt, nil
	}
	if p.Tgt, err = wire.Encode(out); err != nil {
		return nil, fmt.Errorf("target %v: %w", tgt, err)
	}
	p.TgtType = kind
	return out, nil
}

// SetOwner sets the external auth backend of the job's user.
func (j *Job) SetOwner(o access.Owner) { j.eauth = o.Eauth }

// user returns the user of the job. For a job from above it is the user named there.
func (j *Job) user() string {
	if u := j.extra.String("user"); u != "" && j.fromAbove {
		return u
	}
	return j.load.User
}

// stored returns the load as the job store keeps it, in Salt's form, without keys and secrets. The
// minions are stored as expectations.
func (j *Job) stored(mask secrets.Masker) (wire.Raw, error) {
	kwargs := j.extra.Clone()
	kwargs.Delete("user")
	tgt := any(j.load.Tgt)
	if j.grown != nil {
		tgt = j.grown.all
	}
	//mutant:job-record-names-minions
	m := wire.NewMap("cmd", "publish", "tgt", tgt, "fun", j.load.Fun, "arg", j.load.Arg,
		"tgt_type", j.load.TgtType, "ret", j.load.Ret, "jid", j.JID, "user", j.user(), "kwargs", kwargs)
	access.Owner{Eauth: j.eauth, Name: j.user()}.Record(m)
	j.trace.Put(m)
	b, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode load of job %s: %w", j.JID, err)
	}
	//mutant:mask-passwords-of-jobs
	return mask.Load(b)
}

// judge applies a verdict. If a rule with a target allowed the job, the minions receive the ids
// that were checked instead of the target, which they might evaluate differently.
func (j *Job) judge(v verdict.Verdict) error {
	//mutant:cve2022-22941-held-above,cve2022-22941-held-below
	if !v.Allowed {
		return notAllowed{v.String()}
	}
	//mutant:hostile-target-blanks-2,hostile-target-brace,hostile-target-nested,target-list
	if !access.ByTarget(v) {
		return nil
	}
	ids := j.Answerers() // includes minions that only carry the job for their resources, so that they do not run it themselves
	//mutant:target-list-unsure
	j.list = &jobfields.TargetList{
		IDs: ids, Open: len(j.Unsure) > 0,
		Plain: slices.ContainsFunc(j.Nodes, func(n engine.Node) bool { return n.Live == engine.Untracked }),
	}
	if !j.list.Open {
		return nil
	}
	if _, _, err := target.NarrowTo(ids, j.tgt, j.load.TgtType, j.extra.String("delimiter")); err != nil {
		return fmt.Errorf("this master does not know the grains or pillar of %s and cannot narrow the target: %w", j.Unsure[0], err)
	}
	return nil
}

// topics returns the topics of a publication under zmq_filtering (Salt wire reference §2.4).
func (j *Job) topics(orderMasters bool) []string {
	ids := j.Minions
	if j.list != nil {
		return channel.TopicsOf(ids)
	}
	if j.load.TgtType == "list" {
		ids = ownership.Listed(j.tgt)
	}
	switch j.load.TgtType {
	case "glob", "pcre", "list":
		if len(ids) == 0 && !orderMasters && len(j.Nodes) == 0 {
			return []string{channel.ToAll}
		}
		out := channel.TopicsOf(ids)
		if !orderMasters && len(j.Nodes) == 0 {
			out = out[:len(ids)]
		}
		return out
	}
	return []string{channel.ToAll}
}
