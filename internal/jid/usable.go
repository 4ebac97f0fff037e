package jid

import (
	"fmt"
	"strings"
)

// Usable returns an error if a client's job id is not usable as a file name. Clients may choose
// any text.
func Usable(s string) error {
	//mutant:jid-is-no-path-on-a-minion
	if s == "" || len(s) > 128 || s[0] == '.' || strings.ContainsAny(s, "/\\\x00") {
		return fmt.Errorf("jid %q cannot be used: give 1 to 128 characters, no slash, no leading dot", s)
	}
	return nil
}
