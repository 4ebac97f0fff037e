package events

// Rotation goes round the jobs that a master above has to be told of, in the order of their
// jids, from where the lap before has stopped: whoever has to begin anew all the time
// comes to every job nevertheless. It is not safe for concurrent use.
type Rotation struct {
	active  bool
	lost    bool   // words were lost, and not all jobs have been told since
	wrapped bool   // it has begun at the first job again
	at      string // the last job that was told; "": none
	stop    string // the last job before it began: it ends with that
	midst   bool   // stop was being told when it began: it is the first, and what is before it the last
	turn    string // the job whose turn it is; "": none
}

// NewRotation is for a master above that was told nothing as yet by this life of the node:
// what an earlier one had to say and did not may be lost, so that no job counts before
// its turn has come.
//
//mutant:end-counts-after-a-restart
func NewRotation() Rotation { return Rotation{lost: true} }

// Begin goes once round, from where it is. lost: words of jobs were lost, so that a
// job counts as told only when its turn has come. One that is being told is told to its
// end; those before it that were not there when its turn came have theirs at the end.
func (l *Rotation) Begin(lost bool) {
	l.midst = l.turn > l.at
	//mutant:report-turns-survive-a-restart,reports-resume-in-turn
	l.active, l.lost, l.wrapped, l.stop = true, l.lost || lost, false, max(l.at, l.turn)
}

// since tells whether the turn of a job is before the lap comes to the first job again.
func (l *Rotation) since(jid string) bool { return jid > l.stop || l.midst && jid == l.stop }

// Next gives the job whose turn it is; false: the lap is over. first names the first
// job behind one, "" if there is none.
func (l *Rotation) Next(first func(after string) string) (jid string, ok bool) {
	if l.midst && !l.wrapped && l.at < l.stop { // it was left
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

// Told says that the job whose turn it is has been told.
func (l *Rotation) Told(jid string) { l.at = jid }

// Active tells whether jobs are still to be told.
func (l *Rotation) Active() bool { return l.active }

// Counts tells whether all that was said of a job is in what waits or was sent:
// nothing was lost, the job has been told since, or there was nothing to tell of it when
// its turn would have come.
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
