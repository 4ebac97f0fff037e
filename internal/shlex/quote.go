package shlex

import "strings"

// plain are the characters that Python's shlex.quote leaves unquoted.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_"

// Quote writes s as one word of a POSIX shell, as Python's shlex.quote does.
func Quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// KeyName writes the id of a key as a word of a shell that salt-key, which reads names as
// patterns, takes for this id alone.
func KeyName(id string) string {
	return Quote(strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(id))
}
