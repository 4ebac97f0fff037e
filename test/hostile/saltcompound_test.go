package hostile

import (
	"regexp"
	"slices"
)

// saltWord divides a word of a compound target into engine, delimiter and pattern.
var saltWord = regexp.MustCompile(`^(?:([GPIJ])(.)?|([LNSER]))@(.+)$`)

// compoundMatches reads the words of a compound target as Salt does: it puts a Python
// expression together and evaluates that. What is no expression means nobody; "( )" is an
// empty tuple, which is false.
func compoundMatches(m *minion, words []string, exact bool) bool {
	var tokens []string
	for _, w := range words {
		switch w {
		case "and", "or", "not", "(", ")":
			if len(tokens) == 0 && w != "(" && w != "not" {
				return false
			}
			if len(tokens) > 0 {
				last := tokens[len(tokens)-1]
				if last == "(" && (w == "and" || w == "or") {
					return false
				}
				if w == "not" && !slices.Contains([]string{"and", "or", "("}, last) {
					tokens = append(tokens, "and")
				}
			}
			tokens = append(tokens, w)
		default:
			hit, known := wordMatches(m, w, exact)
			if !known {
				return false
			}
			tokens = append(tokens, map[bool]string{true: "True", false: "False"}[hit])
		}
	}
	e := evaluation{tokens: tokens}
	v := e.or()
	return v && !e.wrong && e.at == len(tokens)
}

// wordMatches is one word; known is false for what ends the whole.
func wordMatches(m *minion, w string, exact bool) (hit, known bool) {
	s := saltWord.FindStringSubmatch(w)
	if s == nil {
		return globMatches(w, m.id), true
	}
	kinds := map[string]string{"G": "grain", "P": "grain_pcre", "I": "pillar", "J": "pillar_pcre", "L": "list", "S": "ipcidr", "E": "pcre"}
	kind, ok := kinds[s[1]+s[3]]
	if !ok {
		return false, false
	}
	if exact && (kind == "pillar" || kind == "pillar_pcre") {
		kind = "pillar_exact"
	}
	if kind == "pillar_pcre" || kind == "pillar_exact" {
		how := reMatches
		if kind == "pillar_exact" {
			how = equalMatches
		}
		delimiter := s[2]
		if delimiter == "" {
			delimiter = ":"
		}
		return dataMatches(m.pillar, s[4], delimiter, how), true
	}
	return saltMatches(m, s[4], kind, s[2]), true
}

// evaluation is a Python expression of True, False, and, or, not and parentheses.
type evaluation struct {
	tokens []string
	at     int
	wrong  bool
}

func (e *evaluation) peek() string {
	if e.at < len(e.tokens) {
		return e.tokens[e.at]
	}
	return ""
}

func (e *evaluation) or() bool {
	v := e.and()
	for e.peek() == "or" {
		e.at++
		r := e.and()
		v = v || r
	}
	return v
}

func (e *evaluation) and() bool {
	v := e.not()
	for e.peek() == "and" {
		e.at++
		r := e.not()
		v = v && r
	}
	return v
}

func (e *evaluation) not() bool {
	if e.peek() == "not" {
		e.at++
		return !e.not()
	}
	return e.operand()
}

func (e *evaluation) operand() (v bool) {
	switch e.peek() {
	case "True", "False":
		v = e.peek() == "True"
		e.at++
	case "(":
		e.at++
		if e.peek() == ")" {
			e.at++
			return false
		}
		v = e.or()
		if e.peek() != ")" {
			e.wrong = true
		}
		e.at++
	default:
		e.wrong = true
		e.at++
	}
	return v
}
