package mine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// maxNames bounds the entries that one question names.
const maxNames = 1000

// Question is what somebody wants to see of the mine.
type Question struct {
	Tgt     any
	TgtType string
	// Names are those of the entries.
	Names []string
	// Several has the answer tell by name and then by minion, else by minion alone.
	Several bool
}

// errNoQuestion is what Salt answers with an empty map.
var errNoQuestion = errors.New("it does not say of whom (tgt), or what (fun: a name, or a list of names)")

// ReadQuestion reads the load of `_mine_get` (Salt wire reference §8.2). A pillar is matched
// exactly: who guesses may not find out by parts what is in the pillar of others.
func ReadQuestion(d *wire.Map) (q Question, err error) {
	var ok bool
	if q.Tgt, ok = d.Get("tgt"); !ok {
		return q, errNoQuestion
	}
	fun, _ := d.Get("fun")
	switch fun := fun.(type) {
	case string:
		q.Names = strings.Split(fun, ",")
	case []any:
		if q.Names = wire.Texts(fun); len(q.Names) < len(fun) {
			return q, errNoQuestion
		}
		q.Several = true
	default:
		return q, errNoQuestion
	}
	slices.Sort(q.Names)
	q.Names = slices.Compact(q.Names)
	if len(q.Names) > maxNames {
		return q, fmt.Errorf("it names %d functions; at most %d may be", len(q.Names), maxNames)
	}
	q.Several = q.Several || len(q.Names) > 1
	q.TgtType = d.String("tgt_type")
	if !d.Has("tgt_type") {
		q.TgtType = d.String("expr_form") // of Salt before 2017
	}
	return q, nil
}

// exact are the types of targets whose words about the pillar are taken literally.
var exact = map[string]string{"pillar": "pillar_exact", "pillar_pcre": "pillar_exact", "compound": "compound_pillar_exact"}

// settled is the question with the node groups and places of the master where it is asked
// replaced by what they mean there, so that it means the same everywhere.
func (q Question) settled(groups map[string]any, where func(letter, pattern string) ([]string, error)) (Question, error) {
	kind := strings.ToLower(q.TgtType)
	if kind == "" {
		kind = "glob"
	}
	//mutant:mine-pillar-by-parts
	if strict, ok := exact[kind]; ok {
		kind = strict
	}
	var err error
	if q.Tgt, q.TgtType, err = target.ExpandTarget(q.Tgt, kind, groups); err == nil {
		q.Tgt, err = target.ExpandPlaces(q.Tgt, q.TgtType, where)
	}
	if err == nil {
		_, err = target.Parse(q.Tgt, q.TgtType, target.Options{})
	}
	if err != nil {
		return q, fmt.Errorf("target %s: %w", shown(q.Tgt), err)
	}
	return q, nil
}

// key tells questions apart that are not the same. It is short, whatever is in the target:
// answers are remembered by it.
func (q Question) key(except string) (string, error) {
	b, err := wire.Encode([]any{q.Tgt, q.TgtType, wire.AnyList(q.Names), except})
	if err != nil {
		return "", fmt.Errorf("target %s: %w", shown(q.Tgt), err)
	}
	sum := sha256.Sum256(b)
	//mutant:mine-questions-of-any-size
	return string(sum[:]), nil
}

// shown is something that a minion has sent as a log has it.
func shown(v any) string {
	const most = 200
	text := fmt.Sprint(v)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
