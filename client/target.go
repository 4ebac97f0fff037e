package client

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/topology"
)

// TargetError is a target that cannot be understood, or a node group that the
// configuration does not have.
type TargetError struct {
	Target any
	// Err says what is wrong with it.
	Err error
}

func (e *TargetError) Error() string { return e.Err.Error() }
func (e *TargetError) Unwrap() error { return e.Err }

// groupError is [ErrNoGroup] in Salt's words.
type groupError struct{ text string }

func (e groupError) Error() string        { return e.text }
func (e groupError) Is(target error) bool { return target == ErrNoGroup }

// Resolve gives the job with what its target means in place of the name of a node group,
// as far as the configuration is known here. [Client.Publish] does it by itself.
func (c *Client) Resolve(j Job) (Job, error) {
	err := c.expand(&j)
	return j, err
}

// expand puts in place of a node group what it means, as far as it is known here.
func (c *Client) expand(j *Job) error {
	if j.TgtType != "nodegroup" || c.o.Nodegroups == nil {
		return nil
	}
	name, _ := j.Tgt.(string)
	words, err := target.ExpandNodegroup(name, c.o.Nodegroups)
	if errors.Is(err, target.ErrUnknownNodegroup) {
		if _, known := c.o.Nodegroups[name]; known { // one within it is not
			err = fmt.Errorf("node group %s: %w; write each word of a compound as an item of its own", name, err)
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

// placed puts ids in the place of what a target says of the tree (B@ and D@), as the
// master does when it gets the job.
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

// parse reads the target of a job.
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

// Named gives the ids that the target of a job names one by one: a list, or a glob
// without wildcards. It is nil for any other target, and for one that cannot be
// understood.
func (c *Client) Named(j Job) []string { return c.named(j) }

// NamedIn is [Client.Named] where no node groups are known.
func NamedIn(j Job) []string { return (&Client{}).named(j) }

func (c *Client) named(j Job) []string {
	e, err := c.parse(j)
	if err != nil || target.HasPlaces(j.Tgt, j.TgtType) {
		return nil
	}
	ids, _ := target.Exact(e)
	return ids
}

// TargetHint explains a target of a type, in Salt's words, that is hardly meant as it is
// read; "": it is meant so.
func TargetHint(tgt any, kind string) string { return target.Hint(tgt, kind) }
