package functions

import (
	"testing"
	"time"
)

// TestStrptime parses names like Python's strptime: white space matches white space,
// numbers have one or two digits, the whole text must match, and the date must be valid.
func TestStrptime(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"b-%Y%m%dT%H%M.tar.bz2", "b-20240229T0105.tar.bz2", "2024-02-29T01:05:00"},
		{"b-%Y%m%d", "b-20230229", ""},
		{"b-%Y%m%d", "b-20240229.gz", ""},
		{"b-%Y%m%d", "x-20240229", ""},
		{"%d %b %y", "1  FEB 69", "1969-02-01T00:00:00"},
		{"%d %B %y", "1 february 68", "2068-02-01T00:00:00"},
		{"%I:%M:%S.%f %p", "12:00:01.5 am", "1900-01-01T00:00:01.5"},
		{"%I%p", "12PM", "1900-01-01T12:00:00"},
		{"%Y-%j", "2024-366", "2024-12-31T00:00:00"},
		{"%H:%M:%S", "10:00:60", ""},
		{"%Y%%", "2024%", "2024-01-01T00:00:00"},
		{"%Y", "0000", ""},
		{"größe-%Y", "größe-2024", "2024-01-01T00:00:00"},
	} {
		s, err := newStrptime(c.format)
		if err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		got, ok := s.parse(c.text)
		if !ok && c.want == "" {
			continue
		}
		if f := got.Format("2006-01-02T15:04:05.999"); !ok || f != c.want {
			t.Errorf("%s of %s: %s, %t, want %s", c.format, c.text, f, ok, c.want)
		}
	}
	for _, format := range []string{"%", "a%", "%Q", "%\x00"} {
		if _, err := newStrptime(format); err == nil {
			t.Errorf("%q is taken", format)
		}
	}
}

func FuzzStrptime(f *testing.F) {
	f.Add("b-%Y%m%dT%H%M.tar", "b-20240229T0105.tar")
	f.Add("%a %A %b %B %p %j %f %I %y", "Mon Monday Jan January pm 001 5 01 70")
	f.Fuzz(func(t *testing.T, format, text string) {
		s, err := newStrptime(format)
		if err != nil {
			return
		}
		if at, ok := s.parse(text); ok && (at.Year() < 1 || at.Year() > 9999 || at.Location() != time.UTC) {
			t.Errorf("%q of %q is %v", format, text, at)
		}
	})
}

// TestBytesOf parses sizes like human_to_bytes with metric units.
func TestBytesOf(t *testing.T) {
	for in, want := range map[any]float64{
		int64(5): 5, "10": 10, "10MB": 1e7, "10MiB": 10 << 20, "10m": 10 << 20, "1.5k": 1536, " 2 B ": 2, "x": 0, "1.2.3": 0, "5 dogs": 0, "": 0,
	} {
		if got := bytesOf(in); got != want {
			t.Errorf("%v: %v, want %v", in, got, want)
		}
	}
}
