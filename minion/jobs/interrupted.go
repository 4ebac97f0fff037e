package jobs

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

// ReportInterrupted answers the jobs that an earlier run of the minion started and left
// unfinished. Each answer goes to the master that sent the job. If that master is no longer
// configured, it goes to the first master that calls this.
func (j *Jobs) ReportInterrupted(from Master, known map[string]bool) {
	left, err := j.procs.list()
	if err != nil {
		j.Log.Error("interrupted jobs not listed", "err", err)
		return
	}
	for _, p := range left {
		master := p.load.String(masterField)
		if p.runsElsewhere() || j.runs(p.jid) || master != from.Name() && known[master] {
			continue
		}
		if p.load.Has("schedule") {
			j.Log.Warn("scheduled job interrupted by minion shutdown", "job", p.load.String("schedule"), "jid", p.jid)
			j.procs.remove(p.jid)
			continue
		}
		p.load.Delete(masterField)
		pub, err := publicationOf(p.load)
		if err != nil {
			j.Log.Warn("interrupted job not reported", "jid", p.jid, "err", err)
			j.procs.remove(p.jid)
			continue
		}
		j.Log.Warn("job interrupted by minion shutdown", "jid", p.jid)
		j.recent.take(p.jid, from)
		j.answer(from, pub, delivery.Failure(pub, "ERROR: the minion ended while this job ran; what it had done by then is unknown"))
		j.procs.remove(p.jid)
	}
}

// runs reports whether this process runs the job.
func (j *Jobs) runs(jid string) bool {
	_, ok := j.table.Find(jid)
	return ok
}

func publicationOf(load *wire.Map) (wire.Publication, error) {
	raw, err := wire.Encode(load)
	if err != nil {
		return wire.Publication{}, err
	}
	p, err := wire.ParsePublication(raw)
	if err != nil {
		return wire.Publication{}, fmt.Errorf("read publication: %w", err)
	}
	return p, nil
}
