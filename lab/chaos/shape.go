//go:build linux

package chaos

// kind is the kind of daemon that a member runs.
type kind string

const (
	kindMaster kind = "master"
	kindSyndic kind = "syndic"
	kindMinion kind = "minion"
)

// role is a member of the world; its index in shape is its station.
type role struct {
	id      string
	kind    kind
	parents []string
	tier    int
}

// shape is the tree of a world: three tiers of nodes, two tops above both
// branches.
var shape = []role{
	{id: "t1", kind: kindMaster, tier: 1},
	{id: "t2", kind: kindMaster, tier: 1},
	{id: "a", kind: kindSyndic, tier: 2, parents: []string{"t1", "t2"}},
	{id: "b", kind: kindSyndic, tier: 2, parents: []string{"t1", "t2"}},
	{id: "c", kind: kindSyndic, tier: 3, parents: []string{"a"}},
	{id: "d", kind: kindSyndic, tier: 3, parents: []string{"b"}},
	{id: "ma1", kind: kindMinion, tier: 4, parents: []string{"a"}},
	{id: "mb1", kind: kindMinion, tier: 4, parents: []string{"b"}},
	{id: "mc1", kind: kindMinion, tier: 4, parents: []string{"c"}},
	{id: "mc2", kind: kindMinion, tier: 4, parents: []string{"c"}},
	{id: "md1", kind: kindMinion, tier: 4, parents: []string{"d"}},
	{id: "md2", kind: kindMinion, tier: 4, parents: []string{"d"}},
}

// database and host are the stations beside the tree: MariaDB, and this process.
var (
	database = len(shape)
	host     = len(shape) + 1
	stations = len(shape) + 2
)

func stationOf(id string) int {
	for i, r := range shape {
		if r.id == id {
			return i
		}
	}
	return -1
}

func idsOf(want func(role) bool) []string {
	var out []string
	for _, r := range shape {
		if want(r) {
			out = append(out, r.id)
		}
	}
	return out
}

func tops() []string    { return idsOf(func(r role) bool { return r.tier == 1 }) }
func nodes() []string   { return idsOf(func(r role) bool { return r.kind != kindMinion }) }
func minions() []string { return idsOf(func(r role) bool { return r.kind == kindMinion }) }

// keeper reports whether a member uses MariaDB as job cache.
func (r role) keeper() bool { return r.tier <= 2 }

// edges returns the connections of the tree, each from the side that dials.
func edges() []edge {
	var out []edge
	for i, r := range shape {
		for _, p := range r.parents {
			out = append(out, edge{i, stationOf(p)})
		}
		if r.keeper() {
			out = append(out, edge{i, database})
		}
	}
	return out
}

func stationName(i int) string {
	switch i {
	case database:
		return "sql"
	case host:
		return "host"
	}
	return shape[i].id
}
