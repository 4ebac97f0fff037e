package client

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/topology"
)

// TargetError is an invalid target, or a node group that the configuration does not define.
type TargetError struct {
	Target any
	// Err is the reason.
	Err error
}

func (e *TargetError) Error() string { return e.Err.Error() }
func (e *TargetError) Unwrap() error { return e.Err }

// groupError is [ErrNoGroup] with Salt's message.
type groupError struct{ text string }

func (e groupError) Error() string        { return e.text }
func (e groupError) Is(target error) bool { return target == ErrNoGroup }

// Resolve returns the job with its node group replaced by the definition, if the client knows
// it. [Client.Publish] calls it itself.
func (c *Client) Resolve(j Job) (Job, error) {
	err := c.expand(&j)
	return j, err
}

// expand replaces a node group by its definition, if the client knows it.
func (c *Client) expand(j *Job) error {
	if j.TgtType != "nodegroup" || c.o.Nodegroups == nil {
		return nil
	}
	name, _ := j.Tgt.(string)
	words, err := target.ExpandNodegroup(name, c.o.Nodegroups)
	if errors.Is(err, target.ErrUnknownNodegroup) {
		if _, known := c.o.Nodegroups[name]; known { // a group nested in it is unknown
			err = fmt.Errorf("node group %s: %w; write each word of a compound target as a separate item", name, err)
		} else {
			err = groupError{fmt.Sprintf("Node group %s unavailable in %s", name, c.o.ConfFile)}
		}
	}
	if err != nil {
		return &TargetError{Target: j.Tgt, Err: err}
	}
	j.Tgt, j.TgtType = words, "compound"
	return nil
}

// placed replaces the parts of a target that refer to the tree (B@ and D@) by minion ids, as
// the master does when it receives the job.
func (c *Client) placed(j Job, top topology.Node) (Job, error) {
	if err := c.expand(&j); err != nil {
		return j, err
	}
	tgt, err := target.ExpandPlaces(j.Tgt, j.TgtType, top.Where)
	if err != nil {
		return j, &TargetError{Target: j.Tgt, Err: err}
	}
	j.Tgt = tgt
	return j, nil
}

// parse parses the target of a job.
func (c *Client) parse(j Job) (target.Expr, error) {
	if err := c.expand(&j); err != nil {
		return nil, err
	}
	delimiter, _ := j.Extra["delimiter"].(string)
	e, err := target.Parse(j.Tgt, j.TgtType, target.Options{Delimiter: delimiter, Nodegroups: c.o.Nodegroups})
	if err != nil {
		return nil, &TargetError{Target: j.Tgt, Err: err}
	}
	return e, nil
}

// Named returns the ids that the target of a job names explicitly: a list, or a glob without
// wildcards. It returns nil for any other or invalid target.
func (c *Client) Named(j Job) []string { return c.named(j) }

// NamedIn is [Client.Named] without node groups.
func NamedIn(j Job) []string { return (&Client{}).named(j) }

func (c *Client) named(j Job) []string {
	e, err := c.parse(j)
	if err != nil || target.HasPlaces(j.Tgt, j.TgtType) {
		return nil
	}
	ids, _ := target.Exact(e)
	return ids
}

// TargetHint returns a warning for a target that is valid but probably not intended, or "". kind
// is Salt's name of the target type.
func TargetHint(tgt any, kind string) string { return target.Hint(tgt, kind) }
