package topology

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// jsonTree is the JSON format. Durations are in seconds, times in RFC 3339 and UTC; unknown values
// are omitted. "format" is incremented when a field changes its meaning.
type jsonTree struct {
	Format int      `json:"format"`
	Tree   jsonNode `json:"tree"`
	// Tops are the other tops of the cluster.
	Tops []jsonTop `json:"tops,omitempty"`
}

type jsonNode struct {
	ID      string      `json:"id"`
	Role    string      `json:"role"`
	Version string      `json:"version,omitempty"`
	State   State       `json:"state"`
	Since   string      `json:"since,omitempty"`
	Vitals  *jsonVitals `json:"vitals,omitempty"`
	// Own counts the node's own minions, also when they are not listed.
	Own     jsonOwn      `json:"own"`
	Minions []jsonMinion `json:"minions"`
	Nodes   []jsonNode   `json:"nodes"`
	// Below summarizes the nodes omitted by --depth.
	Below *jsonBelow `json:"below,omitempty"`
}

type jsonOwn struct {
	Minions int `json:"minions"`
	Up      int `json:"up"`
	Down    int `json:"down"`
	Unknown int `json:"unknown"`
}

func (o *jsonOwn) add(s State) {
	switch o.Minions++; s {
	case Up:
		o.Up++
	case Down:
		o.Down++
	default:
		o.Unknown++
	}
}

type jsonMinion struct {
	ID      string `json:"id"`
	State   State  `json:"state"`
	Version string `json:"version,omitempty"`
}

type jsonBelow struct {
	Nodes   int `json:"nodes"`
	Minions int `json:"minions"`
	Up      int `json:"up"`
}

type jsonVitals struct {
	Addr       string  `json:"addr,omitempty"`
	Started    string  `json:"started,omitempty"`
	Accepted   int     `json:"accepted"`
	Connected  int     `json:"connected"`
	Working    int     `json:"working"`
	Jobs       int     `json:"jobs"`
	Pending    int     `json:"owed"`
	PendingAge float64 `json:"owed_age"`
	Lag        float64 `json:"lag"`
	Load       float64 `json:"load"`
	Skew       float64 `json:"skew"`
	Memory     int64   `json:"memory"`
}

// jsonFormat is the version of the JSON format.
const jsonFormat = 1

func exportJSON(w io.Writer, n Node, o DrawOptions) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(jsonTree{jsonFormat, toJSON(n, 1, o, Up), jsonTops(n.Tops)}); err != nil {
		return fmt.Errorf("write tree as JSON: %w", err)
	}
	return nil
}

func toJSON(n Node, tier int, o DrawOptions, above State) jsonNode {
	out := jsonNode{
		ID: n.ID, Role: n.Role, Version: n.Version, State: veil(n.State, above), Since: stamp(n.Since),
		Minions: []jsonMinion{}, Nodes: make([]jsonNode, 0, len(n.Nodes)),
	}
	if v := n.Figures(); v != (Vitals{}) {
		out.Vitals = &jsonVitals{
			Addr: v.Addr, Started: stamp(v.Started), Accepted: v.Accepted, Connected: v.Connected, Working: v.Working,
			Jobs: v.Jobs, Pending: v.Pending, PendingAge: v.PendingAge.Seconds(), Lag: v.Lag.Seconds(), Load: v.Load,
			Skew: v.Skew.Seconds(), Memory: v.Memory,
		}
	}
	if n.State == Down {
		above = Down
	}
	if !o.NoMinions {
		out.Minions = make([]jsonMinion, 0, len(n.Minions))
	}
	for _, m := range n.Minions {
		s := veil(m.State, above)
		out.Own.add(s)
		if !o.NoMinions {
			out.Minions = append(out.Minions, jsonMinion{m.ID, s, m.Version})
		}
	}
	if o.Depth > 0 && tier >= o.Depth {
		if len(n.Nodes) > 0 {
			rest := n
			rest.Minions, rest.State = nil, veil(n.State, above)
			if above == Down {
				rest.State = Down
			}
			nodes, minions, up := rest.Count()
			out.Below = &jsonBelow{nodes, minions, up}
		}
		return out
	}
	for _, c := range n.Nodes {
		out.Nodes = append(out.Nodes, toJSON(c, tier+1, o, above))
	}
	return out
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
