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

// maxNames limits the entries named in one query.
const maxNames = 1000

// Question is a query of the mine.
type Question struct {
	Tgt     any
	TgtType string
	// Names are the names of the entries.
	Names []string
	// Several returns answers by name and minion; otherwise by minion only.
	Several bool
}

// errNoQuestion is for queries that Salt answers with an empty map.
var errNoQuestion = errors.New("tgt or fun is missing; fun is a name or a list of names")

// ReadQuestion decodes the load of `_mine_get` (Salt wire reference §8.2). Pillar targets match
// exactly, without globs: otherwise a minion could guess the pillar of others piece by piece.
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
		return q, fmt.Errorf("%d functions, at most %d", len(q.Names), maxNames)
	}
	q.Several = q.Several || len(q.Names) > 1
	q.TgtType = d.String("tgt_type")
	if !d.Has("tgt_type") {
		q.TgtType = d.String("expr_form") // of Salt before 2017
	}
	return q, nil
}

// exact maps target types to those that match pillar values literally.
var exact = map[string]string{"pillar": "pillar_exact", "pillar_pcre": "pillar_exact", "compound": "compound_pillar_exact"}

// settled expands the node groups and tree places of the query at the master that received it, so
// that it has the same meaning everywhere.
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

// key returns the cache key of the query. Its length does not depend on the target.
func (q Question) key(except string) (string, error) {
	b, err := wire.Encode([]any{q.Tgt, q.TgtType, wire.AnyList(q.Names), except})
	if err != nil {
		return "", fmt.Errorf("target %s: %w", shown(q.Tgt), err)
	}
	sum := sha256.Sum256(b)
	//mutant:mine-questions-of-any-size
	return string(sum[:]), nil
}

// shown shortens a value of a minion for the log.
func shown(v any) string {
	const most = 200
	text := fmt.Sprint(v)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
