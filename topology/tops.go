package topology

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// Top is another top of the cluster, as the top that reports the tree sees it.
type Top struct {
	ID      string // "" before its first answer
	Addr    string
	Version string
	State   State
	Since   time.Time // of State
	Behind  int       // jobs and keys that wait for it
	Why     string    // why it is not connected
}

// maxTops bounds the tops of a report.
const maxTops = 16

func topsWire(tops []Top) []any {
	out := make([]any, 0, len(tops))
	for _, x := range tops {
		out = append(out, wire.NewMap("id", x.ID, "addr", x.Addr, "version", x.Version, "state", string(x.State),
			"since", x.Since.UTC().Format(time.RFC3339Nano), "behind", int64(x.Behind), "why", x.Why))
	}
	return out
}

func topsFrom(list []any) (out []Top) {
	for _, v := range list {
		m, ok := v.(*wire.Map)
		if !ok || len(out) == maxTops {
			continue
		}
		x := Top{ID: m.String("id"), Addr: m.String("addr"), Version: m.String("version"), State: state(m.String("state")), Behind: int(m.Int("behind")), Why: m.String("why")}
		x.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
		out = append(out, x)
	}
	return out
}

// tops draws a line for each other top.
func (d *drawer) tops(n Node) {
	for _, x := range n.Tops {
		name := clean(x.ID)
		if name == "" {
			name = clean(x.Addr)
		}
		if x.Version != "" {
			name += " (" + clean(x.Version) + ")"
		}
		more := ""
		if !x.Since.IsZero() {
			more = " since " + x.Since.UTC().Format(time.RFC3339)
		}
		if x.Behind > 0 {
			more += fmt.Sprintf(", %d behind", x.Behind)
		}
		if x.Why != "" {
			more += ": " + clean(x.Why)
		}
		d.line("", "other top "+name, x.State, more)
	}
}

type jsonTop struct {
	ID      string `json:"id,omitempty"`
	Addr    string `json:"addr"`
	Version string `json:"version,omitempty"`
	State   State  `json:"state"`
	Since   string `json:"since,omitempty"`
	Behind  int    `json:"behind"`
	Why     string `json:"why,omitempty"`
}

func jsonTops(tops []Top) (out []jsonTop) {
	for _, x := range tops {
		out = append(out, jsonTop{x.ID, x.Addr, x.Version, x.State, stamp(x.Since), x.Behind, x.Why})
	}
	return out
}
