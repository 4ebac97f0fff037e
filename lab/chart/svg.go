package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// Size of the picture and of the margins around the plot, in pixels.
const (
	width, height = 760, 430
	left, right   = 90, 190
	top, bottom   = 44, 60
)

// colors differ also for people who do not distinguish red from green (Okabe and Ito).
var colors = [maxSeries]string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"}

// SVG writes the picture. The same chart gives the same bytes.
func (c Chart) SVG(w io.Writer) error {
	if err := c.validate(); err != nil {
		return err
	}
	low, high := c.bounds()
	x := newScale(c.X, low.X, high.X, left, width-right)
	y := newScale(c.Y, low.Y, high.Y, height-bottom, top)

	var b bytes.Buffer
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">`, width, height, width, height)
	put(`<title>%s</title>`, html.EscapeString(c.Title))
	put(`<rect width="%d" height="%d" fill="#ffffff"/>`, width, height)
	put(`<text x="%d" y="24" font-size="15" font-weight="bold">%s</text>`, left, html.EscapeString(c.Title))
	for _, v := range x.minor() {
		at := x.at(v)
		put(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#eeeeee"/>`, at, top, at, height-bottom)
	}
	c.grid(put, x, y)
	for i, s := range c.Series {
		s.draw(put, i, x, y)
	}
	put(`</svg>`)
	_, err := w.Write(b.Bytes())
	return err
}

// grid draws the lines of the ticks, their labels and the titles of the axes.
func (c Chart) grid(put func(string, ...any), x, y scale) {
	for _, v := range x.ticks() {
		at := x.at(v)
		put(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#bbbbbb"/>`, at, top, at, height-bottom)
		put(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, at, height-bottom+18, c.X.label(v))
	}
	for _, v := range y.minor() {
		at := y.at(v)
		put(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#eeeeee"/>`, left, at, width-right, at)
	}
	for _, v := range y.ticks() {
		at := y.at(v)
		put(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#bbbbbb"/>`, left, at, width-right, at)
		put(`<text x="%d" y="%.1f" text-anchor="end">%s</text>`, left-8, at+4, c.Y.label(v))
	}
	put(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, (left+width-right)/2, height-16, html.EscapeString(c.X.title()))
	put(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`, (top+height-bottom)/2, html.EscapeString(c.Y.title()))
}

// draw draws the line, its marks and its entry in the legend.
func (s Series) draw(put func(string, ...any), i int, x, y scale) {
	color, dash := colors[i], ""
	if s.Dashed {
		dash = ` stroke-dasharray="6 4"`
	}
	var line []string
	for _, p := range s.Points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.Y)))
	}
	put(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, strings.Join(line, " "), color, dash)
	for _, p := range s.Points {
		put(`%s`, mark(i, x.at(p.X), y.at(p.Y)))
	}
	at := float64(top + 10 + 22*i)
	put(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s" stroke-width="2"%s/>`, width-right+12, at, width-right+40, at, color, dash)
	put(`%s`, mark(i, width-right+26, at))
	put(`<text x="%d" y="%.1f">%s</text>`, width-right+46, at+4, html.EscapeString(s.Name))
}

// mark draws the sign of a series: a disk, a square, a triangle, each filled or not.
func mark(i int, x, y float64) string {
	fill := colors[i]
	if i >= 3 {
		fill = "#ffffff"
	}
	style := fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="2"`, fill, colors[i])
	switch i % 3 {
	case 0:
		return fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="4" %s/>`, x, y, style)
	case 1:
		return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="8" height="8" %s/>`, x-4, y-4, style)
	}
	return fmt.Sprintf(`<path d="M %.1f %.1f l 5 9 h -10 z" %s/>`, x, y-5, style)
}
