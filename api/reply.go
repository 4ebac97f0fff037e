package api

import (
	"net/http"

	"github.com/momtree/mom/value"
)

// maxJobLinks bounds the links in one answer.
const maxJobLinks = 16

// reply is the answer to a request that starts something.
type reply struct {
	status int
	value  any
	jids   []string // of what was started
}

// send answers, with links to the jobs that were started.
func (rep reply) send(c *call) {
	h := c.w.Header()
	for _, jid := range rep.jids[:min(len(rep.jids), maxJobLinks)] {
		if jid != "" {
			h.Add("Link", "<"+c.root+"/jobs/"+jid+">; rel=\"monitor\"")
		}
	}
	switch rep.status {
	case http.StatusUnauthorized:
		h.Set("Www-Authenticate", "Session")
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "5")
	}
	c.answer(rep.status, rep.value)
}

// gather makes one answer of the results of chunks. A failed chunk has the text of its error in its
// place, and an entry in "errors". The status is that of the first error only if no chunk succeeded.
func gather(c *call, results []result) reply {
	out := []any{}
	var errs, missing []any
	var first *problem
	rep := reply{status: http.StatusOK}
	good := len(results) == 0
	for i, r := range results {
		rep.jids = append(rep.jids, r.jids...)
		if r.err != nil {
			p, expected := problemOf(r.err)
			if !expected {
				c.log.Warn("chunk failed", "route", c.r.Pattern, "chunk", i, "status", p.status, "err", r.err)
			}
			if first == nil {
				first = p
			}
			errs = append(errs, errorEntry(i, p, r))
			out = append(append(out, r.values...), p.text)
			continue
		}
		good = true
		out = append(out, r.values...)
		missing = append(missing, r.missingEntries(i)...)
	}
	if !good {
		rep.status = first.status
	}
	if !good && len(results) == 1 && len(results[0].values) == 0 {
		m := statusValue(first.status, first.text)
		if results[0].shown != nil {
			m.Set("value", results[0].shown)
		}
		if len(rep.jids) > 0 {
			m.Set("jobs", rep.jids)
		}
		rep.value = m
		return rep
	}
	m := value.NewMap("return", out)
	if errs != nil {
		m.Set("errors", errs)
	}
	if missing != nil {
		m.Set("missing", missing)
	}
	rep.value = m
	return rep
}

func errorEntry(chunk int, p *problem, r result) *value.Map {
	e := value.NewMap("chunk", chunk, "status", p.status, "message", p.text, "jobs", r.jids)
	if r.shown != nil {
		e.Set("value", r.shown)
	}
	return e
}
