package reactor

import (
	"strings"

	"github.com/momtree/mom/value"
)

// managePrefix is in the tags by which a reactor is told what to do; see [Reactor.manage].
const managePrefix = "salt/reactors/manage/"

// isManage tells whether a tag tells a reactor something, and is not what it answers.
func isManage(tag string) bool {
	at := strings.LastIndex(tag, managePrefix)
	if at < 0 {
		return false
	}
	switch tag[at+len(managePrefix):] {
	case "list", "add", "delete", "is_leader", "set_leader":
		return true
	}
	return false
}

// manage serves Salt's own tools, which speak to the reactor by events with the key of
// the master's user. Tags may have something in front, as those of runners have.
func (r *Reactor) manage(tag string, data *value.Map) {
	//mutant:reactor-key-of-the-master
	if !r.o.Key(data.String("key")) {
		r.tell("manage", "event that changes reactors refused: it has no key of the master's user", "tag", tag)
		return
	}
	switch tag[strings.LastIndexByte(tag, '/')+1:] {
	case "list":
		r.List()
	case "add":
		slss := data.Strings("reactors")
		if one := data.String("reactors"); one != "" {
			slss = []string{one}
		}
		r.Add(data.String("event"), slss)
	case "delete":
		r.Delete(data.String("event"))
	case "is_leader":
		r.Leads()
	case "set_leader":
		if data.String("id") == r.o.ID {
			r.SetLeader(data.Bool("value"))
		} else {
			r.Leads()
		}
	}
}

// List gives the reactors as the option has them, and tells the bus.
func (r *Reactor) List() []any {
	all := r.table.list()
	r.fire(managePrefix+"list-results", value.NewMap("reactors", all))
	return all
}

// Add enters files for a tag until the master ends.
func (r *Reactor) Add(tag string, slss []string) *value.Map {
	res := answer(false, "A reactor needs a tag and files.")
	if tag != "" && len(slss) > 0 {
		res = r.table.add(tag, slss)
	}
	r.fire(managePrefix+"add-complete", value.NewMap("reactors", r.table.list(), "result", res))
	return res
}

// Delete takes the files of a tag out until the master ends.
func (r *Reactor) Delete(tag string) *value.Map {
	res := r.table.remove(tag)
	r.fire(managePrefix+"delete-complete", value.NewMap("reactors", r.table.list(), "result", res))
	return res
}

// Leads tells whether it reacts: a reactor that does not lead leaves that to another.
func (r *Reactor) Leads() bool {
	leads := r.leads.Load()
	r.fire(managePrefix+"leader/value", value.NewMap("result", leads))
	return leads
}

// SetLeader has it react or not.
func (r *Reactor) SetLeader(leads bool) bool {
	r.leads.Store(leads)
	return r.Leads()
}
