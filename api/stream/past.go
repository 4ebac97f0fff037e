package stream

import "slices"

// maxEras bounds the earlier hubs whose ids can resume.
const maxEras = 64

// era is one hub: it published the events first to last.
type era struct {
	epoch       string
	first, last uint64
}

// past is what is kept of earlier hubs.
type past struct {
	eras   []era
	events []Event // the latest, with consecutive numbers
	last   uint64  // the number of the last event
}

// load reads the records of a file up to the first unreadable one, and returns the number of readable
// bytes.
func (p *past) load(b []byte) (good int) {
	for rest := b; len(rest) > 0; {
		r, next, err := readRecord(rest)
		if err != nil {
			break
		}
		p.add(r)
		rest = next
		good = len(b) - len(rest)
	}
	return good
}

func (p *past) add(r record) {
	if r.epoch != "" {
		if n := len(p.eras); n == 0 || p.eras[n-1].epoch != r.epoch {
			p.eras = append(p.eras, era{r.epoch, r.next, r.next - 1})
		}
		p.eras = p.eras[max(0, len(p.eras)-maxEras):]
		if r.next != p.last+1 { // the events in between were not kept
			p.events = nil
		}
		p.last = r.next - 1
		p.eras[len(p.eras)-1].last = p.last
		return
	}
	e := r.event
	if len(p.eras) == 0 || e.Seq <= p.last && p.last > 0 {
		return // of an unknown hub, or a duplicate
	}
	//mutant:api-gap-is-reported
	if e.Seq != p.last+1 {
		p.events = nil
	}
	p.events, p.last = append(p.events, e), e.Seq
	p.eras[len(p.eras)-1].last = e.Seq
}

// trim drops the oldest events beyond the bounds.
func (p *past) trim(keep, keepBytes int) {
	n, bytes := len(p.events), 0
	for n > 0 && len(p.events)-n < keep {
		if bytes += size(p.events[n-1]); bytes > keepBytes && n < len(p.events) {
			break
		}
		n--
	}
	p.events = slices.Clone(p.events[n:])
	for i := range p.events {
		p.events[i].Data = slices.Clone(p.events[i].Data) // releases the contents of the file
	}
}
