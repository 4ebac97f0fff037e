package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func sample() Chart {
	return Chart{
		Title: "Time & size", X: Axis{Name: "minions"}, Y: Axis{Name: "time", Unit: "s"},
		Series: []Series{
			{Name: "tree", Points: []Point{{1000, 0.5}, {1e6, 30}}},
			{Name: "flat", Points: []Point{{1000, 0.1}, {1e6, 99}}, Dashed: true},
		},
	}
}

// The picture is XML with a title, units, labels of both axes and a legend.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	if err := sample().SVG(&b); err != nil {
		t.Fatal(err)
	}
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := tok.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
	all := strings.Join(texts, "|")
	for _, want := range []string{"Time & size", "minions", "time, s", "|1 k|", "|100 k|", "|1 M|", "|0.1|", "|10|", "|100|", "|tree|", "|flat|"} {
		if !strings.Contains(all, want) {
			t.Errorf("the picture lacks %q: %s", want, all)
		}
	}
}

// Ten times the value is one step further on the axis.
func TestScale(t *testing.T) {
	s := newScale(Axis{}, 1, 1000, 0, 300)
	for v, want := range map[float64]float64{1: 0, 10: 100, 100: 200, 1000: 300} {
		if got := s.at(v); got < want-0.01 || got > want+0.01 {
			t.Errorf("%v is at %v, want %v", v, got, want)
		}
	}
	for v, want := range map[float64]string{1: "1 B", 32: "32 B", 1024: "1 KiB", 32 << 10: "32 KiB", 1 << 30: "1 GiB"} {
		if got := (Axis{Bytes: true}).label(v); got != want {
			t.Errorf("%v bytes are labelled %q, want %q", v, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, spoil := range map[string]func(*Chart){
		"no series": func(c *Chart) { c.Series = nil },
		"no points": func(c *Chart) { c.Series[0].Points = nil },
		"zero":      func(c *Chart) { c.Series[0].Points[0].Y = 0 },
		"too many":  func(c *Chart) { c.Series = append(c.Series, make([]Series, maxSeries)...) },
	} {
		c := sample()
		spoil(&c)
		if err := c.SVG(io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
