package wire

import (
	"bytes"
	"fmt"
	"time"
)

// tagEnd separates the tag and the data of an event.
const tagEnd = "\n\n"

// stampKey is the field with the time at which an event was fired.
const stampKey = "_stamp"

// EventBytes joins a tag and a map in bus encoding to the bytes of an event (Salt wire
// reference §11.1).
func EventBytes(tag string, busMap []byte) []byte {
	b := make([]byte, 0, len(tag)+len(tagEnd)+len(busMap))
	b = append(b, tag...)
	b = append(b, tagEnd...)
	return append(b, busMap...)
}

// ParseEvent splits the bytes of an event. The data is checked, aliases b and is in bus
// encoding, with _stamp.
func ParseEvent(b []byte) (tag string, data Raw, err error) {
	head, rest, ok := bytes.Cut(b, []byte(tagEnd))
	if !ok || len(head) == 0 {
		return "", nil, ErrTag
	}
	if err := Scan(rest, Limits{}); err != nil {
		return "", nil, fmt.Errorf("data of event %q: %w", head, err)
	}
	if !IsMap(rest) {
		return "", nil, fmt.Errorf("data of event %q: %w", head, wrongType("a map", rest))
	}
	return string(head), Raw(rest), nil
}

// Stamped converts the map of an event to bus encoding and appends _stamp. The map must not
// have a _stamp.
func Stamped(data Raw, stamp time.Time) ([]byte, error) {
	lim := Limits{}.orDefault()
	start, n, err := openContainer(data, Dict, &lim)
	if err != nil {
		return nil, err
	}
	if err := Scan(data, Limits{}); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(data)+len(data)/16+64)
	out = appendHead(out, Dict, n+1)
	if out, err = transcode(out, data[start:], busRules); err != nil {
		return nil, err
	}
	out = appendStr(out, stampKey, busRules)
	return appendStr(out, StampText(stamp), busRules), nil
}

// SplitStamp removes _stamp from the map of an event. ok is false if there was no readable one;
// the rest never has one.
func SplitStamp(data Raw) (rest Raw, stamp time.Time, ok bool, err error) {
	text, err := Field(data, stampKey)
	if err != nil {
		return nil, time.Time{}, false, err
	}
	if text == nil {
		return data, time.Time{}, false, nil
	}
	if s, err := Str(text); err == nil {
		stamp, err = ParseStamp(s)
		ok = err == nil
	}
	rest, err = Without(data, stampKey)
	return rest, stamp, ok, err
}

// StampText formats a time as Salt's _stamp: UTC, ISO 8601, microseconds unless they are zero,
// no zone.
func StampText(t time.Time) string { return isoTime(t.UTC().Truncate(time.Microsecond)) }

// ParseStamp parses a _stamp. Salt 3008 writes the zone, earlier versions write none and mean
// UTC.
func ParseStamp(s string) (time.Time, error) {
	t, err := time.Parse("2006-01-02T15:04:05.999999", s)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04:05.999999Z07:00", s)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: _stamp %q: %w", ErrType, s, err)
	}
	return t.UTC(), nil
}
