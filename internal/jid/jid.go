package jid

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/momtree/mom/internal/crypt"
)

// ErrInvalid is wrapped when a text is not a job id.
var ErrInvalid = errors.New("not a job id")

// digits is the length of the time in a job id.
const digits = 20

// New returns the job id of a time: 20 digits, UTC, to the microsecond. Two calls may return
// the same id; see Generator.
func New(now time.Time) string {
	now = now.UTC()
	return now.Format("20060102150405") + fmt.Sprintf("%06d", now.Nanosecond()/1000)
}

// maxBytes bounds a job id: it is a file name and part of event tags.
const maxBytes = 128

// shaped reports whether s has the length of a job id: 20 characters, or more
// than 21 with "_" after the 20th.
func shaped(s string) bool {
	return len(s) == digits || len(s) > digits+1 && s[digits] == '_'
}

// Valid reports whether s is a job id by Salt's rule: the right length, and digits at the
// start. It need not be a real date. Because it becomes a file name and part of event tags, the
// text after the digits must be shorter than Salt allows and must not contain path separators,
// blanks or control characters.
func Valid(s string) bool {
	if !shaped(s) || len(s) > maxBytes {
		return false
	}
	for i := digits; i < len(s); i++ {
		//mutant:cve2025-22242-jid-is-no-path
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '/' || c == '\\' {
			return false
		}
	}
	for i := range digits {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Time returns the time at which a job id was created.
func Time(s string) (time.Time, error) {
	if !Valid(s) {
		return time.Time{}, fmt.Errorf("%w: %q", ErrInvalid, s)
	}
	t, err := time.Parse("20060102150405.000000", s[:14]+"."+s[14:digits])
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %q names no date: %w", ErrInvalid, s, err)
	}
	return t, nil
}

// TimeOr returns the time of a job id, or t if it has no valid time.
func TimeOr(s string, t time.Time) time.Time {
	if made, err := Time(s); err == nil {
		return made
	}
	return t
}

// Pretty formats the start time of a job like Salt: "2024, Jan 02 03:04:05.678901". It returns
// "" if the length is not that of a job id or the month is invalid.
func Pretty(s string) string {
	if !shaped(s) {
		return ""
	}
	month, err := strconv.Atoi(s[4:6])
	if err != nil || month < 1 || month > 12 {
		return ""
	}
	return fmt.Sprintf("%s, %s %s %s:%s:%s.%s", s[:4], time.Month(month).String()[:3],
		s[6:8], s[8:10], s[10:12], s[12:14], s[14:digits])
}

// Dir returns the directory of a job below the job cache: the hex hash of the id, split after
// two digits. hashType is Salt's hash_type; "" means sha256.
func Dir(jid, hashType string) (string, error) {
	sum, err := crypt.HexHash(hashType, jid)
	if err != nil {
		return "", err
	}
	return filepath.Join(sum[:2], sum[2:]), nil
}
