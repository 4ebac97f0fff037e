package events

// Rotation iterates over the jobs to be reported to a parent in jid order. A new round starts where
// the previous one stopped, so every job gets its turn even if rounds are interrupted all the time.
// It is not safe for concurrent use.
type Rotation struct {
	active  bool
	lost    bool   // reports were lost, and not all jobs were reported since
	wrapped bool   // the round has started over at the first job
	at      string // last job reported; "": none
	stop    string // last job before the round began; the round ends with it
	midst   bool   // stop was being reported when the round began: the round starts with it and ends before it
	turn    string // job being reported; "": none
}

// NewRotation returns the rotation for a parent that has received no report since the start of this
// process. Reports of an earlier run may be lost, so no job counts as reported before its turn.
//
//mutant:end-counts-after-a-restart
func NewRotation() Rotation { return Rotation{lost: true} }

// Begin starts a full round at the current position. lost means that reports were lost, so a job
// counts as reported only after its turn. A job that is being reported is finished first. Jobs that
// appear later behind the current position get their turn at the end.
func (l *Rotation) Begin(lost bool) {
	l.midst = l.turn > l.at
	//mutant:report-turns-survive-a-restart,reports-resume-in-turn
	l.active, l.lost, l.wrapped, l.stop = true, l.lost || lost, false, max(l.at, l.turn)
}

// since reports whether a job's turn comes before the round starts over at the first job.
func (l *Rotation) since(jid string) bool { return jid > l.stop || l.midst && jid == l.stop }

// Next returns the job whose turn it is, or false if the round is over. first returns the first job
// after a jid, or "".
func (l *Rotation) Next(first func(after string) string) (jid string, ok bool) {
	if l.midst && !l.wrapped && l.at < l.stop { // stop was removed meanwhile
		l.midst, l.stop = false, l.at
	}
	for l.active {
		jid = first(l.at)
		switch {
		case jid != "" && (!l.wrapped || !l.since(jid)):
			l.turn = jid
			return jid, true
		case l.wrapped || l.stop == "":
			l.active, l.lost, l.wrapped, l.midst, l.at, l.turn = false, false, false, false, l.stop, ""
		default:
			l.wrapped, l.at = true, ""
		}
	}
	return "", false
}

// Done marks the job as reported.
func (l *Rotation) Done(jid string) { l.at = jid }

// Active reports whether jobs remain in the round.
func (l *Rotation) Active() bool { return l.active }

// Counts reports whether all reports on a job are queued or sent: nothing was lost, or the job's
// turn has come since, or the job had nothing to report at its turn.
func (l *Rotation) Counts(jid string) bool {
	switch {
	//mutant:simulated-lost-reports
	case !l.lost:
		return true
	//mutant:end-counts-in-a-gap
	case l.wrapped:
		return l.since(jid) || l.passed(jid)
	}
	//mutant:end-counts-in-a-gap-2
	return l.since(jid) && l.passed(jid)
}

//mutant:end-of-late-jobs-counts
func (l *Rotation) passed(jid string) bool { return jid <= l.at || jid < l.turn }
