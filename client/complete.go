package client

import "context"

// fill fetches the missing minions of an account that was too large for an event
// (max_event_size) from the master's job cache. If that fails, the account keeps its numbers
// without the names.
func (f *Following) fill(ctx context.Context, a *Account) {
	if a.Unnamed() <= 0 || f.Enough != nil && f.Enough(a) {
		return
	}
	record, err := f.c.Runner(ctx, "jobs.list_job", f.JID)
	if err != nil {
		f.c.o.Log.Debug("list of missing minions unavailable", "jid", f.JID, "err", err)
		return
	}
	job, err := record.Map()
	if err != nil {
		f.c.o.Log.Debug("list of missing minions unreadable", "jid", f.JID, "err", err)
		return
	}
	paths := job.Map("Paths")
	job.Map("Missing").Range(func(k, v any) bool {
		id, _ := k.(string)
		if _, known := a.Missing[id]; !known {
			reason, _ := v.(string)
			a.Missing[id] = Missing{Reason: reason, Path: paths.String(id)}
		}
		return true
	})
}

// Unnamed returns how many missing minions the account counts without naming them.
func (a *Account) Unnamed() int { return a.Expected - a.Returned - a.Failed - len(a.Missing) }
