package api

import (
	"strings"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// maxDigestJobs bounds the jobs in a digest. The oldest is dropped.
const maxDigestJobs = 256

// jobDigest turns events into the states of jobs and minions, as /formatted_events of rest_tornado
// does: {"jobs": {jid: ...}} and {"minions": {id: ...}}. It sends the job that has changed, not all
// jobs each time.
type jobDigest struct {
	jobs  map[string]*value.Map
	order []string
}

func newJobDigest() *jobDigest { return &jobDigest{jobs: map[string]*value.Map{}} }

// shape returns the text for an event; nil for an event without a job or minion.
func (d *jobDigest) shape(e stream.Event) []byte {
	part := strings.Split(e.Tag, "/")
	if len(part) < 2 || part[0] != "salt" {
		return nil
	}
	switch {
	case part[1] == "job" && len(part) >= 4 && (part[3] == "new" || part[3] == "ret"):
	case part[1] == "key" || part[1] == "presence" || part[1] == "minion":
	default:
		return nil
	}
	var raw client.Raw
	if raw.UnmarshalJSON(e.Data) != nil {
		return nil
	}
	m, err := raw.Map()
	if err != nil {
		return nil
	}
	data := m.Map("data")
	if data == nil {
		return nil
	}
	var out *value.Map
	switch {
	case part[1] == "job" && part[3] == "new":
		out = d.begun(part[2], data)
	case part[1] == "job" && len(part) == 5:
		out = d.returned(part[2], part[4], data)
	default:
		out = minionsOf(part, data)
	}
	if out == nil {
		return nil
	}
	b, err := encode(asJSON, out)
	if err != nil {
		return nil
	}
	return b
}

func (d *jobDigest) job(jid string) *value.Map {
	j := d.jobs[jid]
	if j == nil {
		if len(d.order) >= maxDigestJobs {
			delete(d.jobs, d.order[0])
			d.order = d.order[1:]
		}
		j = value.NewMap("jid", jid, "minions", value.NewMap(), "state", "running")
		d.jobs[jid] = j
		d.order = append(d.order, jid)
	}
	return j
}

func (d *jobDigest) begun(jid string, data *value.Map) *value.Map {
	j := d.job(jid)
	j.Set("start_time", data.String("_stamp"))
	for _, name := range []string{"fun", "tgt", "tgt_type"} {
		v, _ := data.Get(name)
		j.Set(name, v)
	}
	for _, id := range data.Strings("minions") {
		if ms := j.Map("minions"); !ms.Has(id) {
			ms.Set(id, value.NewMap("success", false))
		}
	}
	return value.NewMap("jobs", value.NewMap(jid, j))
}

func (d *jobDigest) returned(jid, id string, data *value.Map) *value.Map {
	j := d.job(jid)
	ret, _ := data.Get("return")
	j.Map("minions").Set(id, value.NewMap("success", data.Bool("success"), "return", ret, "retcode", data.Int("retcode")))
	complete := true
	j.Map("minions").Range(func(_, v any) bool {
		m, _ := v.(*value.Map)
		complete = m.Has("retcode")
		return complete
	})
	if complete {
		j.Set("state", "complete")
	}
	return value.NewMap("jobs", value.NewMap(jid, j))
}

// minionsOf returns what an event says about minions: keys, presence, starts.
func minionsOf(part []string, data *value.Map) *value.Map {
	out := value.NewMap()
	add := func(id, state string) {
		if id != "" {
			out.Set(id, value.NewMap("id", id, "state", state))
		}
	}
	switch part[1] {
	case "key":
		add(data.String("id"), data.String("act"))
	case "minion":
		if len(part) == 4 && part[3] == "start" {
			add(part[2], "start")
		}
	case "presence":
		for field, state := range map[string]string{"present": "present", "new": "present", "lost": "lost"} {
			for _, id := range data.Strings(field) {
				add(id, state)
			}
		}
	}
	if out.Len() == 0 {
		return nil
	}
	return value.NewMap("minions", out)
}
