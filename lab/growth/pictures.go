package growth

import "github.com/momtree/mom/lab/chart"

// line is a column of one kind as a line of a chart.
type line struct {
	name   string
	kind   Kind
	column int
	dashed bool
}

// picture is a chart and the name of its file.
type picture struct {
	file, title string
	y           chart.Axis
	lines       []line
}

var pictures = []picture{
	{"time", "test.ping to all: time", chart.Axis{Name: "time", Unit: "s"}, []line{
		{"tree: last return", Tree, LastReturn, false},
		{"flat: last return", Flat, LastReturn, false},
		{"tree: all in SQL", Tree, InSQL, true},
		{"flat: all in SQL", Flat, InSQL, true},
	}},
	{"messages", "test.ping to all: messages", chart.Axis{Name: "messages, both ways"}, []line{
		{"tree", Tree, Messages, false},
		{"flat", Flat, Messages, false},
	}},
	{"bytes", "test.ping to all: bytes", chart.Axis{Name: "bytes", Bytes: true}, []line{
		{"tree: everywhere", Tree, Bytes, false},
		{"flat: everywhere", Flat, Bytes, true},
		{"tree: into one top", Tree, TopBytes, false},
		{"flat: into the master", Flat, TopBytes, true},
	}},
	{"memory", "Memory of one node, beside that of an idle one", chart.Axis{Name: "memory", Bytes: true}, []line{
		{"tree: a top", Tree, TopMemory, false},
		{"tree: a region", Tree, RegionMemory, false},
		{"tree: a site", Tree, SiteMemory, false},
		{"flat: the master", Flat, TopMemory, true},
	}},
	{"rows", "Rows stored by one node while the returns come", chart.Axis{Name: "rows per second"}, []line{
		{"tree: a top", Tree, TopRows, false},
		{"tree: a region", Tree, RegionRows, false},
		{"tree: a site", Tree, SiteRows, false},
		{"flat: the master", Flat, TopRows, true},
	}},
}

// Pictures returns the charts of the points, by the name of the file without its ending.
func Pictures(points []Point) map[string]chart.Chart {
	out := map[string]chart.Chart{}
	for _, p := range pictures {
		c := chart.Chart{Title: p.title, X: chart.Axis{Name: "minions"}, Y: p.y}
		for _, l := range p.lines {
			s := chart.Series{Name: l.name, Dashed: l.dashed}
			for _, at := range points {
				if v := at.Of(l.column); at.Kind == l.kind && v > 0 {
					s.Points = append(s.Points, chart.Point{X: at.Minions, Y: v})
				}
			}
			if len(s.Points) > 0 {
				c.Series = append(c.Series, s)
			}
		}
		out[p.file] = c
	}
	return out
}
