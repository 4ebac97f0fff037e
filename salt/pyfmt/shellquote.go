package pyfmt

import "strings"

// shellPlain are the characters that Python's shlex.quote leaves unquoted.
const shellPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_"

// ShellQuote writes s as one word of a POSIX shell, as Python's shlex.quote does.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, shellPlain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// ShellKeyName writes the id of a key as a word of a shell that salt-key, which reads names as
// patterns, takes for this id alone.
func ShellKeyName(id string) string {
	return ShellQuote(strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(id))
}
