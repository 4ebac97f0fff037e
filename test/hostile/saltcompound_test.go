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
func compoundMatches(m *minion, words []string) bool {
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
			hit, known := wordMatches(m, w)
			if !known {
				return false
			}
			tokens = append(tokens, map[bool]string{true: "True", false: "False"}[hit])
		}
	}
	e := evaluation{tokens: tokens}
	v := e.or()
	return v == yes && !e.wrong && e.at == len(tokens)
}

// wordMatches is one word; known is false for what ends the whole.
func wordMatches(m *minion, w string) (hit, known bool) {
	s := saltWord.FindStringSubmatch(w)
	if s == nil {
		return globMatches(w, m.id), true
	}
	kinds := map[string]string{"G": "grain", "P": "grain_pcre", "I": "pillar", "J": "pillar_pcre", "L": "list", "S": "ipcidr", "E": "pcre"}
	kind, ok := kinds[s[1]+s[3]]
	switch {
	case !ok, kind == "pcre" && !compiles(s[4]): // an error
		return false, false
	case kind == "pillar_pcre":
		delimiter := s[2]
		if delimiter == "" {
			delimiter = ":"
		}
		return dataMatches(m.pillar, s[4], delimiter, reMatches), true
	}
	return saltMatches(m, s[4], kind, s[2]), true
}

// truth is what a Python expression gives. A call of True or False raises an error, if it is
// reached.
type truth uint8

const (
	no truth = iota
	yes
	raised
)

// evaluation is a Python expression of True, False, and, or, not and parentheses.
type evaluation struct {
	tokens []string
	at     int
	wrong  bool // it is no expression
}

func (e *evaluation) peek() string {
	if e.at < len(e.tokens) {
		return e.tokens[e.at]
	}
	return ""
}

func (e *evaluation) or() truth {
	v := e.and()
	for e.peek() == "or" {
		e.at++
		if r := e.and(); v == no {
			v = r
		}
	}
	return v
}

func (e *evaluation) and() truth {
	v := e.not()
	for e.peek() == "and" {
		e.at++
		if r := e.not(); v == yes {
			v = r
		}
	}
	return v
}

func (e *evaluation) not() truth {
	if e.peek() != "not" {
		return e.operand()
	}
	e.at++
	switch e.not() {
	case no:
		return yes
	case yes:
		return no
	}
	return raised
}

func (e *evaluation) operand() (v truth) {
	switch e.peek() {
	case "True", "False":
		if e.peek() == "True" {
			v = yes
		}
		e.at++
	case "(":
		v = e.parentheses()
	default:
		e.wrong = true
		e.at++
	}
	for e.peek() == "(" {
		e.parentheses()
		v = raised
	}
	return v
}

// parentheses has an empty tuple in them, which is false, or an expression.
func (e *evaluation) parentheses() (v truth) {
	if e.at++; e.peek() != ")" {
		v = e.or()
	}
	e.wrong = e.wrong || e.peek() != ")"
	e.at++
	return v
}
