package access

import "github.com/momtree/mom/internal/wire"

// PermitsRunner tells whether rules permit a runner: "@runner", "@runners", "@module", or
// these with functions, {"@runner": ["jobs.*", {"manage.up": [{args, kwargs}]}]}; those of
// a module are named without it, {"@jobs": ["list_.*"]}. Rules for minions permit none.
func (l *List) PermitsRunner(rules []any, fun string, args []any, kwargs *wire.Map) bool {
	return l.JudgeRunner(rules, Call{fun, args, kwargs}).Allowed
}

// PermitsWheel is [List.PermitsRunner] for wheel functions: "@wheel", "@wheels", "@module".
func (l *List) PermitsWheel(rules []any, fun string, args []any, kwargs *wire.Map) bool {
	return l.JudgeWheel(rules, Call{fun, args, kwargs}).Allowed
}
