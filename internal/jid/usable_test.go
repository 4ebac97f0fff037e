package jid

import (
	"strings"
	"testing"
)

func TestUsable(t *testing.T) {
	for jid, ok := range map[string]bool{
		"20260101000000000001": true, "my-job_1.x": true,
		"": false, ".": false, "..": false, "a/b": false, "a\\b": false, "a\x00": false, strings.Repeat("1", 129): false,
	} {
		if err := Usable(jid); (err == nil) != ok {
			t.Errorf("%q: %v", jid, err)
		}
	}
}
