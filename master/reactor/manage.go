package reactor

import (
	"strings"

	"github.com/momtree/mom/value"
)

// isManage reports whether a tag is a request to the reactor, and not its answer.
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

// manage serves Salt's tools, which control the reactor by events with the key of the master's
// user. Tags may have a prefix, as those of runners do.
func (r *Reactor) manage(tag string, data *value.Map) {
	//mutant:reactor-key-of-the-master
	if !r.o.Key(data.String("key")) {
		r.logThrottled("manage", "event that changes reactors refused: it has no key of the master's user", "tag", tag)
		return
	}
	switch tag[strings.LastIndexByte(tag, '/')+1:] {
	case "list":
		r.o.Table.List()
	case "add":
		slss := data.Strings("reactors")
		if one := data.String("reactors"); one != "" {
			slss = []string{one}
		}
		r.o.Table.Add(data.String("event"), slss)
	case "delete":
		r.o.Table.Delete(data.String("event"))
	case "is_leader":
		r.o.Table.Leads()
	case "set_leader":
		if data.String("id") == r.o.ID {
			r.o.Table.SetLeader(data.Bool("value"))
		} else {
			r.o.Table.Leads()
		}
	}
}
