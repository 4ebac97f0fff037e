package main

import (
	"regexp"
	"strings"
	"unicode"
)

// words are counted wherever they stand: in comments, texts and parts of identifiers.
var words = map[string]string{
	"tell": "report", "tells": "report", "told": "reported, sent, known", "untold": "unreported", "teller": "reporter, sender",
	"news": "events, changes", "story": "history, log", "diary": "log, journal", "graves": "removed, tombstones", "hearsay": "gossip, second-hand",
	"kin": "siblings", "lodging": "place, session", "lodgings": "places, sessions", "desk": "service, handler", "bell": "signal, notifier",
	"ear": "subscription", "ears": "subscriptions", "aloft": "in flight", "meters": "metrics", "owed": "pending", "owes": "has pending",
}

// stored are names on the wire, on disk and in JSON, which cannot change, and a facility of syslog. In quotes
// they are not counted.
var stored = regexp.MustCompile("[\"`](owed|owed_age|untold|told|nodes_not_told|news|diary|mom/pulse/tell|LOG_NEWS)\\\\?[\"`]")

// phrases are counted in the lines of files.
var phrases = []struct {
	re      *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bof before\b`), "previous"},
	{regexp.MustCompile(`(?i)\b(there )?(is|are) none( of| any|$|[.,;:])`), "not found, has no, is not"},
	{regexp.MustCompile(`(?i)\bis no (file|folder|directory|list|number|text|map|name|node|key|id|regular)\b`), "is not a"},
	{regexp.MustCompile(`(?i)\blet(s)? go\b`), "drop, remove"},
	{regexp.MustCompile(`(?i)\b(hangs|hung|hanging) on\b`), "depends on, is connected to"},
	{regexp.MustCompile(`(?i)\b(have|has|having) (a|an|the|it|them|each|no|nobody) ([a-z]+ )?(be|asked|given|told|sent|read|made|done)\b`), "the verb itself: sends, reads"},
	{regexp.MustCompile(`(?i)\bwhat (is|comes|was) (more|round)\b`), "nothing, periodic"},
	{regexp.MustCompile(`(?i)\b(for|by) nobody\b`), "no minion matched"},
}

// finding is a word or phrase in a line, counted from 1.
type finding struct {
	line          int
	text, instead string
}

// find lists what is counted in a text.
func find(text string) (out []finding) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = stored.ReplaceAllString(line, "")
		for _, w := range split(line) {
			if instead, ok := words[w]; ok {
				out = append(out, finding{n, w, instead})
			}
		}
		for _, p := range phrases {
			for _, hit := range p.re.FindAllString(line, -1) {
				out = append(out, finding{n, hit, p.instead})
			}
		}
	}
	return out
}

// split gives the words of a line in lower case; an identifier is split at its capitals.
func split(line string) (out []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	var before rune
	for _, r := range line {
		switch {
		case !unicode.IsLetter(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end()
			fallthrough
		default:
			word.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	end()
	return out
}
