package engine

// Questions about the account, which the engine's inputs alone change.

// State gives the account of a job, open or lately closed.
func (e *Engine) State(jid string) (Account, bool) { return e.ledger.State(jid) }

// Expected returns who has to answer a job, as far as the nodes below have said.
func (e *Engine) Expected(jid string) (Expected, bool) { return e.ledger.Expected(jid) }

// Active lists the open jobs.
func (e *Engine) Active() []string { return e.ledger.Active() }

// Summaries gives the open jobs, the newest first: at most limit of them, each with at
// most names of those it waits for. total counts them all.
func (e *Engine) Summaries(limit, names int) (out []Summary, total int) {
	return e.ledger.Summaries(limit, names)
}

// Stale gives the jobs that are open for longer than what is known of them explains, the oldest
// first, at most limit of them. total counts them all.
func (e *Engine) Stale(limit int) (out []Stale, total int) { return e.ledger.Stale(limit) }

// Owes reports whether a job is open and a minion of this master owes its answer, also when it
// was given up: it may be given the job again.
func (e *Engine) Owes(jid, id string) bool { return e.ledger.Owes(jid, id) }

// Counts reports whether an id is in the account of a job.
func (e *Engine) Counts(jid, id string) bool { return e.ledger.Counts(jid, id) }

// OwesNode is Owes for a node right below this master.
func (e *Engine) OwesNode(jid, id string) bool { return e.ledger.OwesNode(jid, id) }

// Asked reports whether a job that was given to this master is open and waits for the return
// of a minion: one right below it, or behind a node. What minions alone say of a job does
// not make it one.
func (e *Engine) Asked(jid, id string, behind bool) bool {
	//mutant:minion-returns-adopted
	if e.ledger.adopted(jid) {
		return false
	}
	return e.ledger.Owes(jid, id) || behind && !e.ledger.isClosed(jid)
}

// Unheard tells that a minion has certainly not heard a job: it was not connected when
// the job was published, and was not given it since.
func (e *Engine) Unheard(jid, id string) bool { return e.ledger.Unheard(jid, id) }
