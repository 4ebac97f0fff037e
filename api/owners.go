package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/value"
)

const (
	// maxOwners bounds the jobs and the calls whose users are remembered. The least recently used
	// are dropped.
	maxOwners = 16 << 10
	// ownerTime bounds the question about jobs, for which all events wait.
	ownerTime = 4 * time.Second
	// ownerPause is the time without questions after a failed one.
	ownerPause = 5 * time.Second
)

// jobUsers knows the users of jobs; see [Backend].
type jobUsers interface {
	JobUsers(ctx context.Context, jids []string) (map[string]string, error)
}

// owners finds the users of the jobs and calls that events belong to. It is not safe for concurrent
// use.
//
// The master's record of a job names its user. owners asks once for each job, and for many in one
// question, because an answer may take as long as a hundred events. A Salt master cannot be asked:
// the event salt/job/JID/new names the user of a job there. salt/run/JID/new and salt/wheel/JID/new
// name the users of calls. The first event of a job or call counts, so nobody takes it over by
// firing another.
type owners struct {
	master jobUsers
	log    *slog.Logger
	now    func() time.Time
	jobs   *lru.Guarded[string, string] // "" for a job that the master does not know
	calls  *lru.Guarded[string, string]
	pause  time.Time // no question before this time
	silent bool      // the master cannot be asked
	lost   func()    // called if the users of jobs could not be found
}

func newOwners(master jobUsers, log *slog.Logger, lost func()) *owners {
	return &owners{
		master: master, log: log, now: time.Now, lost: lost,
		jobs: lru.NewGuarded[string, string](maxOwners, nil), calls: lru.NewGuarded[string, string](maxOwners, nil),
	}
}

// callTags begin the tags of the events of calls.
var callTags = []string{"salt/run/", "salt/wheel/"}

// jobOf returns the job that an event belongs to.
func jobOf(tag string) (id string, begins, ok bool) {
	id, kind, _, ok := jobevent.Parse(tag)
	return id, kind == jobevent.KindNew, ok && jid.Valid(id)
}

// find asks the master for the unknown users of the jobs of events, once for all of them.
func (o *owners) find(ctx context.Context, tags ...string) {
	if o.silent || o.now().Before(o.pause) {
		return
	}
	var ids []string
	asked := map[string]bool{}
	for _, tag := range tags {
		if id, _, ok := jobOf(tag); ok && !asked[id] && !o.jobs.Contains(id) {
			asked[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ownerTime)
	defer cancel()
	users, err := o.master.JobUsers(ctx, ids)
	switch {
	case errors.Is(err, client.ErrNotReported):
		o.silent = true
		return
	case errors.Is(ctx.Err(), context.Canceled):
		return
	case err != nil:
		o.log.Warn("master does not report job owners, job events go to privileged users only", "jobs", len(ids), "first", ids[0], "err", err)
		o.lost()
		o.pause = o.now().Add(ownerPause)
		return
	}
	for _, id := range ids {
		o.jobs.Add(id, users[id])
	}
}

// audience returns who may receive an event, after find.
func (o *owners) audience(tag string, data any) stream.Audience {
	fields, _ := data.(*value.Map)
	if id, begins, ok := jobOf(tag); ok {
		user, known := o.jobs.Get(id)
		//mutant:api-owner-is-recorded
		if !known && begins && o.silent {
			user = stream.AnyService + fields.String("user")
			o.jobs.Add(id, user)
		}
		return stream.Audience{Kind: stream.Job, User: user}
	}
	for _, prefix := range callTags {
		rest, ok := strings.CutPrefix(tag, prefix)
		if !ok {
			continue
		}
		id, what, _ := strings.Cut(rest, "/")
		if !jid.Valid(id) {
			return stream.Audience{}
		}
		key := prefix + id
		user, known := o.calls.Get(key)
		//mutant:api-first-owner-stays
		if !known && what == "new" {
			user = callerOf(fields)
			o.calls.Add(key, user)
		}
		return stream.Audience{Kind: stream.Call, User: user}
	}
	return stream.Audience{}
}

// callerOf returns the user of a call from the event of its start, which does not name the login
// service at a Salt master.
func callerOf(fields *value.Map) string {
	user, eauth := fields.String("user"), fields.String("mom_eauth")
	switch {
	case !fields.Has("mom_eauth"):
		return stream.AnyService + user
	case eauth != "":
		return eauth + "/" + user
	}
	return user
}

// learn takes the user of an event that is kept.
func (o *owners) learn(e stream.Event) {
	if e.For.User == "" {
		return
	}
	if id, _, _, ok := jobevent.Parse(e.Tag); ok {
		o.jobs.Add(id, e.For.User)
		return
	}
	for _, prefix := range callTags {
		if rest, ok := strings.CutPrefix(e.Tag, prefix); ok {
			id, _, _ := strings.Cut(rest, "/")
			o.calls.Add(prefix+id, e.For.User)
		}
	}
}
