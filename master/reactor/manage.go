package reactor

import (
	"strings"

	"github.com/momtree/mom/value"
)

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
