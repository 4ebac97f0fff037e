package wire

import "fmt"

// SyndicReturn is a `_syndic_return` load: returns of one or more jobs that a syndic sends to
// its master (Salt wire reference §9.2).
type SyndicReturn struct {
	Cmd   string
	ID    string // added by the channel in version 3, otherwise ""
	Loads []SyndicJob
	// Broken has an error for each job or return that was left out because it is unreadable and
	// names no minion.
	Broken []error
	Tok    []byte
	Nonce  string
	TS     int64
}

// SyndicJob has the returns of one job in a syndic's load.
type SyndicJob struct {
	ID       string // the id of the syndic
	JID      string
	Fun      Raw
	Arg      Raw
	Tgt      Raw
	TgtType  Raw
	Load     Raw // the lower master's publish load the first time, otherwise an empty map
	Returns  []MinionReturn
	MasterID string
	Out      string
	Extra    *Map // unknown fields in their order, each a Raw

	broken []error // errors for returns that were left out
}

// MinionReturn is the return of one minion in a SyndicJob.
type MinionReturn struct {
	ID    string
	Value Raw   // map of return, retcode, success, fun_args, ...
	Err   error // why it is invalid; Value is then nil
}

// ParseSyndicReturn decodes a syndic's load. As in Salt, the load may be a single job, as old
// syndics send it, and jobs without id, jid or return are left out. Raw fields alias r.
func ParseSyndicReturn(r Raw) (SyndicReturn, error) {
	var s SyndicReturn
	var jobs Raw
	l := openLoad("syndic return", r)
	for l.next() {
		switch string(l.key) {
		case "cmd":
			s.Cmd, l.err = constant(l.val)
		case "id":
			s.ID, l.err = Str(l.val)
		case "load":
			jobs = l.val
		default:
			l.channel()
		}
	}
	if l.err != nil {
		return SyndicReturn{}, l.err
	}
	s.Tok, s.Nonce, s.TS = l.tok, l.nonce, l.ts
	if !IsList(jobs) {
		job, ok, err := parseSyndicJob(r)
		switch {
		case err != nil:
			return SyndicReturn{}, err
		case !ok:
			return SyndicReturn{}, l.missing("load")
		}
		s.Loads, s.Broken = []SyndicJob{job}, job.broken
		return s, nil
	}
	err := Elems(jobs, func(i int, val Raw) error {
		job, ok, err := parseSyndicJob(val)
		switch {
		case err != nil: // it does not affect the others
			s.Broken = append(s.Broken, fmt.Errorf("%s: job %d: %w", l.load, i+1, err))
		case ok:
			s.Loads = append(s.Loads, job)
			s.Broken = append(s.Broken, job.broken...)
		}
		return nil
	})
	if err != nil {
		return SyndicReturn{}, err
	}
	return s, nil
}

// parseSyndicJob decodes one job; ok is false if a required field is missing.
func parseSyndicJob(r Raw) (job SyndicJob, ok bool, err error) {
	hasReturn := false
	l := openLoad("syndic job", r)
	for l.next() {
		switch string(l.key) {
		case "id":
			job.ID, l.err = Str(l.val)
		case "jid":
			job.JID, l.err = jidText(l.val)
		case "fun":
			job.Fun = l.val
		case "arg":
			job.Arg = l.val
		case "tgt":
			job.Tgt = l.val
		case "tgt_type":
			job.TgtType = l.val
		case "load":
			job.Load = l.val
		case "return":
			hasReturn = true
			job.Returns, job.broken, l.err = parseMinionReturns(l.val)
		case "master_id":
			job.MasterID, l.err = optStr(l.val)
		case "out":
			job.Out, l.err = optStr(l.val)
		case "cmd", "tok", "nonce", "ts":
		default:
			l.keep()
		}
	}
	if l.err != nil {
		return SyndicJob{}, false, l.err
	}
	job.Extra = l.extra
	return job, job.ID != "" && job.JID != "" && hasReturn, nil
}

// parseMinionReturns decodes the returns of one job. An invalid return of a named minion is an
// entry with an error; one that names no minion is left out, with an error in broken.
func parseMinionReturns(r Raw) (_ []MinionReturn, broken []error, _ error) {
	out := make([]MinionReturn, 0, min(Count(r), len(r)))
	it := openMap(r)
	for it.next() {
		switch {
		case it.key == nil:
			broken = append(broken, inField("syndic job", "return", wrongType("a minion id", it.name)))
			continue
		case !IsMap(it.val):
			out = append(out, MinionReturn{ID: string(it.key), Err: inField("syndic job", string(it.key), wrongType("a map", it.val))})
			continue
		}
		out = append(out, MinionReturn{ID: string(it.key), Value: it.val})
	}
	return out, broken, it.err
}

var emptyMap = Raw{0x80}
