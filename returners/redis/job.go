package redis

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	driver "github.com/redis/go-redis/v9"

	"github.com/momtree/mom/returners"
)

// Fields of the hash mom/job/<jid>. The first character of a field is its kind.
const (
	nodeMark     = "n" // n<node> → time of its expectation, microseconds
	expectedMark = "e" // e<minion> → <node>\n+ to be waited for, <node>\n-<reason> missing
	returnedMark = "r" // r<minion> → time of its return, microseconds
)

// expectScript adds the expectation of a node to a job: ARGV is the life in seconds, the
// node, its time or "", and pairs of a minion and its mark (+ or -reason).
//
// Several masters write the state of one minion, in any order. A longer path means a node
// further up, whose state is newer: it wins. Of equal paths the later state wins. Of different
// nodes at the same distance, as after a minion moved, the one that asks the minion wins until
// it reports otherwise.
const expectScript = `local function steps(path)
	if path == '' then return 0 end
	local _, n = string.gsub(path, '/', '')
	return n + 1
end
local key, node = KEYS[1], ARGV[2]
if ARGV[3] ~= '' then redis.call('HSETNX', key, 'n' .. node, ARGV[3]) end
for i = 4, #ARGV, 2 do
	local field, mark, to = 'e' .. ARGV[i], ARGV[i + 1], node
	local old = redis.call('HGET', key, field)
	if old then
		local cut = string.find(old, '\n', 1, true)
		local was, said = string.sub(old, 1, cut - 1), string.sub(old, cut + 1)
		if was ~= node then
			if steps(was) > steps(node) then
				to, mark = was, said
			elseif steps(was) == steps(node) then
				if mark ~= '+' then to = was end
				if said == '+' then mark = '+' end
			end
		end
	end
	redis.call('HSET', key, field, to .. '\n' .. mark)
end
if ARGV[1] ~= '0' then redis.call('EXPIRE', key, ARGV[1]) end
return 1`

// SaveExpectations stores the time of each node and the state of each minion.
func (s *Store) SaveExpectations(ctx context.Context, exps []returners.Expectation) error {
	for part := range slices.Chunk(exps, batchRows) {
		err := s.pipe(ctx, "store expectations", func(p driver.Pipeliner) {
			age := ages{}
			for i := range part {
				s.putExpectation(ctx, p, &part[i])
				age.seen(part[i].JID, s.at(part[i].At))
			}
			age.put(ctx, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// putExpectation adds the commands that store one expectation.
func (s *Store) putExpectation(ctx context.Context, p driver.Pipeliner, e *returners.Expectation) {
	at := ""
	if e.State == "" || e.State == returners.StateAnswered || e.State == "plain" || len(e.Minions)+len(e.Missing) > 0 { // else it reports nothing
		at = strconv.FormatInt(s.at(e.At).UnixMicro(), 10)
	}
	var marks []any
	for _, id := range e.Minions {
		if _, down := e.Missing[id]; !down {
			marks = append(marks, id, "+")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.Missing)) {
		marks = append(marks, id, "-"+e.Missing[id])
	}
	for first := true; first || len(marks) > 0; first = false { // a script blocks the server
		n := min(len(marks), 2*batchRows)
		p.Eval(ctx, expectScript, []string{jobKey(e.JID)}, slices.Concat([]any{seconds(s.o.Keep), e.Node, at}, marks[:n])...)
		marks = marks[n:]
	}
}

// record is what mom/job/<jid> holds.
type record struct {
	nodes    map[string]time.Time
	expected map[string]string // minion → node\nmark
	returned map[string]time.Time
}

// readRecord reads what mom/job/<jid> holds.
func (s *Store) readRecord(ctx context.Context, jid string) (record, error) {
	r := record{map[string]time.Time{}, map[string]string{}, map[string]time.Time{}}
	err := s.eachField(ctx, "read the record of job "+jid, jobKey(jid), func(field, value string) error {
		if field == "" {
			return nil
		}
		switch kind, name := field[:1], field[1:]; kind {
		case nodeMark:
			r.nodes[name] = micros(value)
		case expectedMark:
			r.expected[name] = value
		case returnedMark:
			r.returned[name] = micros(value)
		}
		return nil
	})
	return r, err
}

// micros reads a time; an invalid one is the zero time.
func micros(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// GetExpectations reads who was asked, ordered by node. A minion that has returned is not
// missing.
func (s *Store) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	r, err := s.readRecord(ctx, jid)
	if err != nil {
		return nil, err
	}
	byNode := map[string]*returners.Expectation{}
	of := func(node string) *returners.Expectation {
		if byNode[node] == nil {
			byNode[node] = &returners.Expectation{JID: jid, Node: node, At: r.nodes[node]}
		}
		return byNode[node]
	}
	for node := range r.nodes {
		of(node)
	}
	for _, id := range slices.Sorted(maps.Keys(r.expected)) {
		node, mark, _ := strings.Cut(r.expected[id], "\n")
		e := of(node)
		reason, missing := strings.CutPrefix(mark, "-")
		if _, came := r.returned[id]; !missing || came {
			e.Minions = append(e.Minions, id)
			continue
		}
		if e.Missing == nil {
			e.Missing = map[string]string{}
		}
		e.Missing[id] = reason
	}
	out := make([]returners.Expectation, 0, len(byNode))
	for _, e := range byNode {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b returners.Expectation) int { return cmp.Compare(a.Node, b.Node) })
	return out, nil
}
