package schedule

import (
	"testing"
	"time"
)

// Dates mean the same as in python-dateutil: recorded from it, at this time.
func TestParseDate(t *testing.T) {
	now := time.Date(2026, 11, 23, 15, 46, 0, 0, time.UTC) // a Monday
	for text, want := range map[string]string{
		"5:00pm":                    "2026-11-23 17:00:00",
		"5pm":                       "2026-11-23 17:00:00",
		"5:30 PM":                   "2026-11-23 17:30:00",
		"12am":                      "2026-11-23 00:00:00",
		"12:15pm":                   "2026-11-23 12:15:00",
		"17:00":                     "2026-11-23 17:00:00",
		"17:00:30":                  "2026-11-23 17:00:30",
		"Monday 5:00pm":             "2026-11-23 17:00:00",
		"Monday":                    "2026-11-23 00:00:00",
		"Tue 3:00pm":                "2026-11-24 15:00:00",
		"Sunday, 8am":               "2026-11-29 08:00:00",
		"11/20/2013 5:00pm":         "2013-11-20 17:00:00",
		"20/11/2013 5:00pm":         "2013-11-20 17:00:00",
		"11/20/13":                  "2013-11-20 00:00:00",
		"11/20/95":                  "1995-11-20 00:00:00",
		"2013-11-20T17:00:00":       "2013-11-20 17:00:00",
		"2013-11-20 17:00":          "2013-11-20 17:00:00",
		"2013-11-20T17:00:00Z":      "2013-11-20 17:00:00",
		"2013-11-20T17:00:00+02:00": "2013-11-20 15:00:00",
		"20131120":                  "2013-11-20 00:00:00",
		"Nov 20 2013 17:00":         "2013-11-20 17:00:00",
		"20 November 2013 at 5pm":   "2013-11-20 17:00:00",
		"Nov 20th, 2013":            "2013-11-20 00:00:00",
		"Dec 24 6pm":                "2026-12-24 18:00:00",
		"Jan 1":                     "2026-01-01 00:00:00",
	} {
		d, err := parseDate(text, now)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := d.at(now).UTC().Format(clockForm); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", " ", "tomorrow", "25:00", "5:61", "13pm", "0pm", "2026-02-30", "13/13/2026", "32/1/2026", "Monday Tuesday", "5pm 6pm", "2026", "Nov 2026 5pm", "pm", "+02:00"} {
		if d, err := parseDate(text, now); err == nil {
			t.Errorf("%q is read as %v", text, d.at(now))
		}
	}
}

// A date with missing parts recurs.
func TestDate_Next(t *testing.T) {
	from := time.Date(2027, 2, 28, 17, 0, 0, 0, time.UTC) // a Sunday
	for text, want := range map[string]string{
		"5:00pm":      "2027-03-01 17:00:00",
		"5:01pm":      "2027-02-28 17:01:00",
		"Sunday 5pm":  "2027-03-07 17:00:00",
		"Sunday 6pm":  "2027-02-28 18:00:00",
		"Monday":      "2027-03-01 00:00:00",
		"Feb 28 5pm":  "2028-02-28 17:00:00",
		"Feb 29 5pm":  "2028-02-29 17:00:00",
		"2027-02-28":  "never",
		"2027-03-01":  "2027-03-01 00:00:00",
		"Jan 31, 1am": "2028-01-31 01:00:00",
	} {
		d, err := parseDate(text, from)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := "never"
		if at, ok := d.next(from); ok {
			got = at.Format(clockForm)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, s := range []string{"5:00pm", "Monday 5:00pm", "11/20/2013 5:00pm", "2013-11-20T17:00:00+02:00", "Nov 20th, 2013", "29/2/00"} {
		f.Add(s)
	}
	now := time.Date(2026, 11, 23, 15, 46, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		d, err := parseDate(s, now)
		if err != nil {
			return
		}
		d.at(now)
		if next, ok := d.next(now); ok && !next.After(now) {
			t.Errorf("%q: %v does not come after %v", s, next, now)
		}
	})
}
