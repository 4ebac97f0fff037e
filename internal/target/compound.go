package target

import (
	"fmt"
	"regexp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Bounds on compound targets.
const (
	maxWords = 100_000
	maxNest  = 200
)

// engine splits G@os:Debian and G|@os|Debian into engine, delimiter, pattern.
var engine = regexp.MustCompile(`^(?s:(?:([GPIJ])(.)?|([LNSERT]))@)(.+)$`)

func splitWord(word string) (eng, delimiter, pattern string) {
	m := engine.FindStringSubmatch(word)
	if m == nil {
		return "", "", word
	}
	return m[1] + m[3], m[2], m[4]
}

func compoundWords(tgt any) ([]string, error) {
	if s, ok := text(tgt); ok {
		return pyfmt.Fields(s), nil
	}
	list, ok := wire.AsList(tgt)
	if !ok {
		return nil, fmt.Errorf("a compound target is a text or a list of words, not %s", typeName(tgt))
	}
	words := make([]string, len(list))
	for i, e := range list {
		if words[i], ok = text(e); !ok {
			return nil, fmt.Errorf("word %d of the compound target is %s, not a text", i+1, typeName(e))
		}
	}
	return words, nil
}

// compound is a recursive-descent parser over words. "or" has the lowest precedence, then
// "and", then "not"; "a not b" means "a and not b".
type compound struct {
	words []string
	pos   int
	depth int
	exact bool // pillar words match exactly
}

func parseCompound(words []string, exact bool, groups map[string]any) (Expr, error) {
	words, err := expandWords(words, groups)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("the compound target is empty")
	}
	c := &compound{words: words, exact: exact}
	e, err := c.or()
	if err != nil {
		return nil, err
	}
	if c.pos < len(words) {
		return nil, c.unexpected()
	}
	return e, nil
}

// expandWords replaces N@group by the words of the group.
func expandWords(words []string, groups map[string]any) ([]string, error) {
	var out []string
	for _, w := range words {
		if eng, _, name := splitWord(w); eng == "N" {
			more, err := ExpandNodegroup(name, groups)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		} else {
			out = append(out, w)
		}
		if len(out) > maxWords {
			return nil, fmt.Errorf("the compound target has more than %d words", maxWords)
		}
	}
	return out, nil
}

func (c *compound) peek() string {
	if c.pos < len(c.words) {
		return c.words[c.pos]
	}
	return ""
}

func (c *compound) unexpected() error {
	if c.pos >= len(c.words) {
		return fmt.Errorf("the compound target ends after %q; a target is missing", c.words[len(c.words)-1])
	}
	switch w := c.words[c.pos]; w {
	case ")":
		return fmt.Errorf("word %d: %q closes nothing", c.pos+1, w)
	case "and", "or":
		return fmt.Errorf("word %d: %q has no target before it", c.pos+1, w)
	default:
		return fmt.Errorf("word %d: %q follows a target without and, or, not between them", c.pos+1, w)
	}
}

func (c *compound) or() (Expr, error) {
	if c.depth++; c.depth > maxNest {
		return nil, fmt.Errorf("the compound target is nested more than %d deep", maxNest)
	}
	defer func() { c.depth-- }()
	e, err := c.and()
	for err == nil && c.peek() == "or" {
		c.pos++
		var r Expr
		if r, err = c.and(); err == nil {
			e = &orExpr{e, r}
		}
	}
	return e, err
}

func (c *compound) and() (Expr, error) {
	e, err := c.not()
	for err == nil && (c.peek() == "and" || c.peek() == "not") {
		if c.peek() == "and" {
			c.pos++
		}
		var r Expr
		if r, err = c.not(); err == nil {
			e = &andExpr{e, r}
		}
	}
	return e, err
}

func (c *compound) not() (Expr, error) {
	if c.peek() != "not" {
		return c.operand()
	}
	c.pos++
	if c.peek() == "not" {
		return nil, fmt.Errorf("word %d: not stands twice", c.pos+1)
	}
	e, err := c.operand()
	if err != nil {
		return nil, err
	}
	return &notExpr{e}, nil
}

func (c *compound) operand() (Expr, error) {
	if c.pos >= len(c.words) {
		return nil, c.unexpected()
	}
	word := c.words[c.pos]
	switch word {
	case "and", "or", ")":
		return nil, c.unexpected()
	case "(":
		open := c.pos
		c.pos++
		e, err := c.or()
		if err != nil {
			return nil, err
		}
		if c.peek() != ")" {
			if c.pos < len(c.words) {
				return nil, c.unexpected()
			}
			return nil, fmt.Errorf("word %d: the parenthesis is not closed", open+1)
		}
		c.pos++
		return e, nil
	}
	e, err := c.word(word)
	if err != nil {
		return nil, fmt.Errorf("word %d: %w", c.pos+1, err)
	}
	c.pos++
	return e, nil
}

func (c *compound) word(word string) (Expr, error) {
	eng, delimiter, pattern := splitWord(word)
	switch eng {
	case "G", "P":
		return newData(eng, pattern, delimiter, false)
	case "I", "J":
		return newData(eng, pattern, delimiter, c.exact)
	case "L":
		return newList(pattern)
	case "S":
		return newNetwork(pattern)
	case "E":
		return newPCRE(pattern)
	case "T":
		return newResource(pattern), nil
	case "R":
		return nil, ErrRange
	}
	return newGlob(word), nil
}
