package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/momtree/mom/internal/bounds"
)

// Masked stands in the place of a secret that is not shown.
const Masked = "**********"

// Shown gives all options in the form a file holds them: those of this program with their
// defaults, others as they were written. Secrets are [Masked]: those that the program
// knows, what is called as secrets are (password, passphrase, token, ...), and passwords
// in URLs.
func (m *Master) Shown() map[string]any {
	out := map[string]any{"conf_file": m.ConfFile}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(m.Raw)), slices.Collect(maps.Keys(masterTable()))) {
		v, _ := m.Get(name)
		out[name] = shown(name, m.shaped(name, v))
	}
	delete(out, "mysql") // its options have names of their own
	sql := reflect.ValueOf(&m.MySQL).Elem()
	for key := range mysqlTable() {
		v, _ := get(sql, mysqlTable(), nil, key)
		out["mysql."+key] = shown("mysql."+key, v)
	}
	return out
}

// shaped gives an option that no file sets the type that Salt's default has, for programs
// that read it: lists of one entry are lists, and what is unset is an empty list or text.
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

// Shown gives the options of the minion's files, as they were written, with secrets as
// [Master.Shown] has them.
func (m *Minion) Shown() map[string]any {
	out := map[string]any{"conf_file": m.ConfFile}
	for name, v := range m.Raw {
		out[name] = shown(name, v)
	}
	return out
}

// Written gives the options of the master's files alone, in the form of [Master.Shown].
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

// shown is the value of an option of a name without what is secret in it.
func shown(name string, v any) any {
	//mutant:runners-secrets-are-masked
	if secretOption(name) && v != nil && v != "" {
		return Masked
	}
	if _, known := masterTable()[name]; known {
		return masked("", v) // by what it is, not by what it is called
	}
	return masked(name, v)
}

// secretOption tells of an option that the program knows to be a secret.
func secretOption(name string) bool {
	return secrets[name] || masterTable()[name].secret || minionTable()[name].secret
}

// masked is a value that stands under a name.
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

// secretWords end the names of secrets, secretKeys those of keys that are such.
var (
	secretWords = []string{
		"pass", "passwd", "password", "passwords", "passphrase", "passphrases", "pw", "pwd", "bindpw", "secret", "secrets", "sharedsecret", "token", "tokens", "credentials", "apikey",
		"headers", // of a collector: they hold its token
	}
	secretKeys = []string{"api", "access", "secret", "private", "signing"}
)

// secretName tells whether what has a name is called as secrets are: git_pillar_password,
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

// nameWords are the words of a name, small: parts between signs, and from a capital on.
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

// withoutPassword masks what stands between a colon and the last @ of a word, as passwords
// do in URLs and in addresses of databases.
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
