package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/momtree/mom/internal/bounds"
)

// Masked replaces a secret that is not shown.
const Masked = "**********"

// Shown returns all options in the form of a file: those of this program with their defaults,
// others as written. Secrets are [Masked]: options that the program knows to be secret, names
// of secrets (password, passphrase, token, ...), and passwords in URLs.
func (m *Master) Shown() map[string]any {
	out := map[string]any{"conf_file": m.ConfFile}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(m.Raw)), slices.Collect(maps.Keys(masterTable()))) {
		v, _ := m.Get(name)
		out[name] = shown(name, m.shaped(name, v))
	}
	delete(out, "mysql") // its options have their own names
	sql := reflect.ValueOf(&m.MySQL).Elem()
	for key := range mysqlTable() {
		v, _ := get(sql, mysqlTable(), nil, key)
		out["mysql."+key] = shown("mysql."+key, v)
	}
	return out
}

// shaped converts an option that no file sets to the type of Salt's default, for programs that
// read it: an option with one entry becomes a list, and an unset one an empty list or string.
func (m *Master) shaped(name string, v any) any {
	if m.Raw[name] != nil {
		return v
	}
	if l, ok := unsetInSalt[name]; ok {
		if list, isList := v.([]any); v == nil || isList && len(list) == 0 {
			return l
		}
	}
	if masterTable()[name].typ == stringsType {
		if one, ok := v.(string); ok {
			return []any{one}
		}
	}
	return v
}

var stringsType = reflect.TypeFor[[]string]()

// unsetInSalt are Salt's defaults that are empty, where mom has no value.
var unsetInSalt = map[string]any{
	"decrypt_pillar": []any{}, "ext_pillar": []any{}, "gitfs_remotes": []any{}, "gitfs_saltenv": []any{},
	"event_return": "", "ext_job_cache": "", "minionfs_mountpoint": "",
	"git_pillar_env": "", "git_pillar_fallback": "", "git_pillar_passphrase": "", "git_pillar_password": "", "git_pillar_privkey": "",
	"git_pillar_pubkey": "", "git_pillar_root": "", "git_pillar_user": "",
	"gitfs_fallback": "", "gitfs_mountpoint": "", "gitfs_passphrase": "", "gitfs_password": "", "gitfs_privkey": "", "gitfs_pubkey": "",
	"gitfs_root": "", "gitfs_user": "",
}

// Shown returns the options of the minion's files as written, with secrets masked like in
// [Master.Shown].
func (m *Minion) Shown() map[string]any {
	out := map[string]any{"conf_file": m.ConfFile}
	for name, v := range m.Raw {
		out[name] = shown(name, v)
	}
	return out
}

// Written returns only the options in the master's files, in the form of [Master.Shown].
func (m *Master) Written() map[string]any {
	all, out := m.Shown(), map[string]any{"conf_file": m.ConfFile}
	for name, v := range m.Raw {
		if s, ok := all[name]; ok {
			v = s
		} else {
			v = shown(name, v)
		}
		out[name] = v
	}
	return out
}

// shown returns the value of an option with its secrets masked.
func shown(name string, v any) any {
	//mutant:runners-secrets-are-masked
	if secretOption(name) && v != nil && v != "" {
		return Masked
	}
	if _, known := masterTable()[name]; known {
		return masked("", v) // checks the value, not the name
	}
	return masked(name, v)
}

// secretOption reports whether the program knows an option to be a secret.
func secretOption(name string) bool {
	return secrets[name] || masterTable()[name].secret || minionTable()[name].secret
}

// masked returns a value under a name, with its secrets masked.
func masked(name string, v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case bounds.Bounds:
		return v.Settings()
	case map[string]any:
		if secretName(name) && len(v) > 0 {
			return Masked
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			if within := name + "." + k; secretOption(within) && e != nil && e != "" {
				out[k] = Masked
				continue
			}
			//mutant:runners-secrets-in-urls
			out[withoutPassword(k)] = masked(k, e)
		}
		return out
	case []any:
		if secretName(name) && len(v) > 0 {
			return Masked
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = masked(name, e)
		}
		return out
	case string:
		if v == "" {
			return v
		}
		//mutant:runners-secrets-by-name
		if secretName(name) {
			return Masked
		}
		return withoutPassword(v)
	}
	//mutant:runners-numbers-are-secrets
	if secretName(name) { // a number may be a password
		return Masked
	}
	return v
}

// secretWords are the last words of the names of secrets, secretKeys the last words of names of
// secret keys.
var (
	secretWords = []string{
		"pass", "passwd", "password", "passwords", "passphrase", "passphrases", "pw", "pwd", "bindpw", "secret", "secrets", "sharedsecret", "token", "tokens", "credentials", "apikey",
		"headers", // of a collector: they contain its token
	}
	secretKeys = []string{"api", "access", "secret", "private", "signing"}
)

// secretName reports whether a name looks like that of a secret: git_pillar_password,
// alternative.mysql.pass, ssh-passphrase, apiKey.
func secretName(name string) bool {
	words := nameWords(name)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if last == "key" && len(words) > 1 {
		return slices.Contains(secretKeys, words[len(words)-2])
	}
	return slices.Contains(secretWords, last)
}

// nameWords splits a name into lower-case words, at punctuation and before capitals.
func nameWords(name string) []string {
	var b strings.Builder
	low := false
	for _, r := range name {
		if unicode.IsUpper(r) && low {
			b.WriteByte(' ')
		}
		low = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// withoutPassword masks the text between a colon and the last @ of a word, the place of
// passwords in URLs and in addresses of databases.
func withoutPassword(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		scheme, rest := "", w
		if j := strings.Index(w, "://"); j >= 0 {
			scheme, rest = w[:j+3], w[j+3:]
		}
		at := strings.LastIndexByte(rest, '@')
		if at < 0 {
			continue
		}
		if user, _, has := strings.Cut(rest[:at], ":"); has {
			words[i] = scheme + user + ":" + Masked + rest[at:]
		}
	}
	return strings.Join(words, " ")
}
