package engine

// Queries of the account. They change nothing.

// State returns the account of a job, open or recently closed.
func (e *Engine) State(jid string) (Account, bool) { return e.ledger.State(jid) }

// Expected returns the minions that must answer a job, as reported so far.
func (e *Engine) Expected(jid string) (Expected, bool) { return e.ledger.Expected(jid) }

// Active returns the open jobs.
func (e *Engine) Active() []string { return e.ledger.Active() }

// Summaries returns the open jobs, the newest first: at most limit, each with at most names
// pending minions. total is the number of open jobs.
func (e *Engine) Summaries(limit, names int) (out []Summary, total int) {
	return e.ledger.Summaries(limit, names)
}

// Stale returns the jobs open for longer than expected, the oldest first, at most limit. total is
// their number.
func (e *Engine) Stale(limit int) (out []Stale, total int) { return e.ledger.Stale(limit) }

// Expects reports whether a job is open and a direct minion has not returned, even if it is
// missing: the job may be redelivered.
func (e *Engine) Expects(jid, id string) bool { return e.ledger.Expects(jid, id) }

// Counts reports whether an id is in the account of a job.
func (e *Engine) Counts(jid, id string) bool { return e.ledger.Counts(jid, id) }

// CountsBehind reports whether a job waits for a minion at a path through a node directly below,
// so that the node may report it as missing whoever has it by now.
func (e *Engine) CountsBehind(jid, node, id string) bool { return e.ledger.countsBehind(jid, node, id) }

// ExpectsNode is Expects for a node directly below.
func (e *Engine) ExpectsNode(jid, id string) bool { return e.ledger.ExpectsNode(jid, id) }

// Asked reports whether a job published here is open and waits for a minion: a direct one, or with
// behind, one behind a node. Adopted jobs do not count.
func (e *Engine) Asked(jid, id string, behind bool) bool {
	//mutant:minion-returns-adopted
	if e.ledger.adopted(jid) {
		return false
	}
	return e.ledger.Expects(jid, id) || behind && !e.ledger.isClosed(jid)
}

// NotDelivered reports whether a minion has certainly not received a job: it was not connected at
// publication, and the job was not redelivered.
func (e *Engine) NotDelivered(jid, id string) bool { return e.ledger.NotDelivered(jid, id) }

// isClosed reports whether a job is closed, forgotten or unknown. Unlike State it visits no
// entries.
func (l *ledger) isClosed(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[jid]
	return j == nil || !j.closed.IsZero()
}

// knows reports whether a job is open or recently closed.
func (l *ledger) knows(jid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.jobs[jid] != nil
}
