package runners

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

const surveyArgs = `
tgt, tgt_type : compound
    The minions, of the whole tree.
fun
    The function. Further arguments, positional and keyword, are passed to it.
survey_sort : down
    down lists the largest pool first, up the smallest.
`

func init() {
	args := []string{"tgt", "fun", "*"}
	Register(
		Function{Name: "survey.hash", Args: args, AnyKwargs: true, Run: surveyHash, Doc: `
Run a function on minions and group them by result: a list of pools, each with its minions
and their result as text. Minions that do not return are reported as progress.
` + surveyArgs + `
    salt-run survey.hash '*' test.version
    salt-run survey.hash '*' file.get_hash /etc/hosts survey_sort=up
`},
		Function{Name: "survey.diff", Args: args, AnyKwargs: true, Run: surveyDiff, Doc: `
Like survey.hash, and print the differences between the result of each pool and the first.
` + surveyArgs + `
    salt-run survey.diff '*' cmd.run 'cat /etc/hosts' survey_sort=up
`},
	)
}

// pool is a group of minions with the same result.
type pool struct {
	minions []string
	result  string
}

func surveyHash(ctx context.Context, c *Call) (any, error) {
	pools, err := survey(ctx, c)
	if err != nil {
		return nil, err
	}
	return shownPools(pools), nil
}

func shownPools(pools []pool) []any {
	out := make([]any, len(pools))
	for i, p := range pools {
		out[i] = wire.NewMap("pool", p.minions, "result", p.result)
	}
	return out
}

// surveyOrder parses survey_sort and reports whether the smallest pool comes first.
func surveyOrder(v any) (up bool, err error) {
	switch v {
	case "up":
		return true, nil
	case "down":
		return false, nil
	}
	return false, invalid("survey_sort=%v is neither up nor down", v)
}

// survey asks the minions and groups them by result.
func survey(ctx context.Context, c *Call) ([]pool, error) {
	q := Question{TgtType: "compound", Long: true, Kwargs: wire.NewMap()}
	var named bool
	q.Tgt, _ = c.Given("tgt")
	if fun, _ := c.Given("fun"); q.Tgt != nil {
		q.Fun, named = fun.(string)
	}
	if !named || q.Fun == "" {
		return nil, invalid("%s needs a target and the name of a function", c.Fun())
	}
	q.Args = c.Rest()
	if _, list := q.Tgt.([]any); list {
		q.TgtType = "list"
	}
	up := false
	var err error
	c.Extra().Range(func(k, v any) bool {
		switch k {
		case "survey_sort":
			up, err = surveyOrder(v)
		case "tgt_type":
			q.TgtType = pyfmt.Str(v)
		default:
			q.Kwargs.Set(k, v)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	a, err := query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	return pooled(a, up), nil
}

// query asks minions and reports those that did not return.
func query(ctx context.Context, c *Call, q Question) (Answers, error) {
	timeout, gather := c.Env.Timeouts()
	q.Gather = gather
	if q.Timeout == 0 {
		q.Timeout = cmp.Or(c.Timeout(), timeout)
	}
	if _, err := c.Env.Target(q.Tgt, q.TgtType); err != nil {
		return Answers{}, invalid("%w", err)
	}
	a, err := ask(ctx, c.Env, q, nil, true)
	if err != nil {
		return a, err
	}
	if len(a.Missing) > 0 {
		c.Progress(missed(a))
	}
	return a, nil
}

// missedNamed limits the minions named in one text.
const missedNamed = 100

// missed formats which minions did not return, and why.
func missed(a Answers) string {
	ids := slices.Sorted(maps.Keys(a.Missing))
	said := make([]string, 0, min(len(ids), missedNamed))
	for _, id := range ids[:min(len(ids), missedNamed)] {
		said = append(said, id+" ["+a.Missing[id].Reason+"]")
	}
	text := "Minions did not return: " + strings.Join(said, ", ")
	if n := len(ids) - len(said); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// pooled groups minions with equal results, sorted by size: smallest first with up, else largest
// first. Pools of equal size are sorted by their first minion.
func pooled(a Answers, up bool) []pool {
	at := map[string]int{}
	var out []pool
	for _, id := range slices.Sorted(maps.Keys(a.Returned)) {
		text := pyfmt.Str(a.Returned[id].Value)
		i, ok := at[text]
		if !ok {
			i = len(out)
			at[text] = i
			out = append(out, pool{result: text})
		}
		out[i].minions = append(out[i].minions, id)
	}
	slices.SortStableFunc(out, func(x, y pool) int {
		if up {
			x, y = y, x
		}
		return cmp.Compare(len(y.minions), len(x.minions))
	})
	return out
}
