package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// test returns the result of a test run of file.managed.
func (m *managed) test(ctx context.Context) (*states.Result, error) {
	if err := m.find(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var fault *sourceError
		var format *TemplateError
		if errors.As(err, &format) {
			return m.fail("%s", format.Error()), nil
		}
		if errors.As(err, &fault) && fault.msg != "none of the specified sources were found" {
			return m.fail("%s", fault.msg), nil
		}
		return m.fail("Unable to manage file: %s", osError(err)), nil
	}
	changes, err := m.meta(ctx)
	if err != nil {
		return m.fail("Unable to manage file: %s", osError(err)), ctx.Err()
	}
	m.res.Changes = changes
	if changes.Len() == 0 {
		m.res.Comment = fmt.Sprintf("The file %s is in the correct state", m.name)
		return m.res, nil
	}
	m.res.Result = nil
	m.res.Comment = fmt.Sprintf("The file %s is set to be changed\nNote: No changes made, actual changes may\nbe different due to other states.", m.name)
	if changes.Has("diff") && !m.Truth("show_changes") {
		changes.Set("diff", "<show_changes=False>")
	}
	return m.res, nil
}

// meta returns the changes of the file.
func (m *managed) meta(ctx context.Context) (*value.Map, error) {
	changes := value.NewMap()
	now, err := infoOf(m.name, m.Truth("follow_symlinks"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // ENOTDIR: file.recurse would replace a file above it
		changes.Set("newfile", m.name)
		return changes, nil
	}
	if err != nil {
		return nil, err
	}
	differs := m.contents != nil
	if m.source != "" {
		sum, err := hashOf(m.name, m.got.kind)
		if err != nil {
			return nil, err
		}
		differs = sum != m.got.sum
	}
	if differs {
		path, err := m.wanted(ctx)
		if err != nil {
			return nil, err
		}
		if path != "" {
			diff, err := diffOf(m.name, path)
			if err != nil {
				return nil, err
			}
			if diff != "" {
				changes.Set("diff", diff)
			}
		}
	}
	metaChanges(changes, now, m.owners)
	return changes, nil
}

// metaChanges adds the changes of owner and mode.
func metaChanges(changes *value.Map, now info, o owners) {
	if !hasOwners {
		return
	}
	if o.user != nil && pystr(o.user) != now.user && pystr(o.user) != strconv.Itoa(now.uid) {
		changes.Set("user", o.user)
	}
	if o.group != nil && pystr(o.group) != now.group && pystr(o.group) != strconv.Itoa(now.gid) {
		changes.Set("group", o.group)
	}
	if o.mode != "" && o.mode != now.mode {
		changes.Set("mode", o.mode)
	}
}
