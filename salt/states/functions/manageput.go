package functions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// get finds the source, and renders it if the state has a template. It returns a result if
// that fails.
func (m *managed) get(ctx context.Context) (*states.Result, error) {
	if err := m.find(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.res.Changes = value.NewMap()
		var fault *sourceError
		var format *TemplateError
		switch {
		case errors.As(err, &format):
			return m.fail("Unable to manage file: %s", format.Error()), nil
		case !errors.As(err, &fault):
			return m.fail("Unable to manage file: %s", osError(err)), nil
		case fault.instead == nil:
			return m.fail("Unable to manage file: %s", fault.msg), nil
		case !isFile(m.name) && !isLink(m.name):
			return m.fail("%s", fault.instead(m.name)), nil
		}
		return m.fail("%s", fault.msg), nil
	}
	return nil, nil
}

func (m *managed) find(ctx context.Context) (err error) {
	m.source, m.hash, err = m.choose(ctx, m.Value("source"), m.Str("source_hash"))
	if err != nil || m.source == "" {
		return err
	}
	var fault *sourceError
	m.got, err = m.fetch(ctx, m.source, m.hash)
	if err != nil && !(m.Test && errors.As(err, &fault) && fault.instead != nil) {
		return err
	}
	if m.keepMode {
		if mode, ok, err := m.Env.Files().Mode(ctx, m.source, m.Saltenv); err == nil && ok {
			m.owners.mode = normalMode(fmt.Sprintf("%o", mode&0o7777))
		}
	}
	if !m.Truth("template") {
		return nil
	}
	path, err := m.got.file(ctx, m.Call, m.source)
	if err != nil {
		return err
	}
	if path == m.name {
		return errors.New("Source file cannot be the same as destination")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(data) > fileclient.MaxText {
		return fmt.Errorf("the template %s is larger than %d bytes", m.source, fileclient.MaxText)
	}
	vars := value.NewMap("name", m.Name(), "user", m.Value("user"), "group", m.Value("group"), "mode", m.Value("mode"), "attrs", nil)
	m.Kwargs.Range(func(k, v any) bool {
		vars.Set(k, v)
		return true
	})
	out, err := m.rendered(ctx, data, m.source, vars)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	m.got.kind = "sha256"
	if m.got.path, err = m.temporary(out); err != nil {
		return err
	}
	m.got.sum, err = hashOf(m.got.path, m.got.kind)
	return err
}

// temporary writes data to a file that is removed when the state ends.
func (m *managed) temporary(data []byte) (string, error) {
	path, err := scratch(data)
	if err == nil {
		m.scratch = append(m.scratch, path)
	}
	return path, err
}

// put brings a file into the wanted state.
func (m *managed) put(ctx context.Context, name string, res *states.Result) error {
	if isFile(name) || isLink(name) {
		return m.update(ctx, name, res)
	}
	return m.create(ctx, name, res)
}

// wanted returns the path of a file with the wanted content, "" if no content is given.
func (m *managed) wanted(ctx context.Context) (string, error) {
	if m.contents != nil {
		return m.temporary([]byte(*m.contents))
	}
	if m.source == "" {
		return "", nil
	}
	return m.got.file(ctx, m.Call, m.source)
}

func (m *managed) update(ctx context.Context, name string, res *states.Result) error {
	follow := m.Truth("follow_symlinks")
	target := name
	if isLink(name) && follow {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return err
		}
		target = real
	}
	replaceLink := isLink(name) && !follow
	differs := m.contents != nil || replaceLink
	if m.source != "" && !replaceLink {
		sum, err := hashOf(target, m.got.kind)
		if err != nil {
			return err
		}
		differs = sum != m.got.sum
	}
	if differs {
		path, err := m.wanted(ctx)
		if err != nil {
			return err
		}
		if err := m.change(path, target, replaceLink, res); err != nil {
			return err
		}
	}
	if err := m.checkPerms(name, res, m.owners, follow); err != nil {
		return err
	}
	if res.Changes.Len() > 0 {
		res.Comment = fmt.Sprintf("File %s updated", name)
	} else if res.Result == true {
		res.Comment = fmt.Sprintf("File %s is in the correct state", name)
	}
	return nil
}

// change replaces a file by another and sets the difference as changes.
func (m *managed) change(path, target string, replaceLink bool, res *states.Result) error {
	diff, err := diffOf(target, path)
	switch {
	case replaceLink && (err != nil || diff == ""):
		diff = "Replace symbolic link with regular file"
	case err != nil || diff == "":
		return err
	}
	if !m.Truth("show_changes") {
		diff = "<show_changes=False>"
	}
	res.Changes.Set("diff", diff)
	return m.replace(path, target, m.Str("backup"))
}

func (m *managed) create(ctx context.Context, name string, res *states.Result) error {
	path, err := m.wanted(ctx)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(name); !isDir(dir) {
		if !m.Truth("makedirs") {
			res.Result, res.Comment = false, "Parent directory not present"
			return nil
		}
		mode, err := modeOf(m.Value("dir_mode"))
		if err != nil {
			return err
		}
		if mode == "" {
			mode = searchable(m.owners.mode)
		}
		if err := m.makeParents(name, owners{m.owners.user, m.owners.group, mode}); err != nil {
			return err
		}
	}
	if m.source == "" {
		if err := touchNew(name, m.owners.mode != ""); err != nil {
			return strerror(err)
		}
		if m.contents == nil {
			res.Changes.Set("new", fmt.Sprintf("file %s created", name))
			res.Comment = "Empty file"
		} else {
			res.Changes.Set("diff", "New file")
		}
	} else {
		res.Changes.Set("diff", "New file")
	}
	if path != "" {
		if err := m.replace(path, name, ""); err != nil {
			return err
		}
	}
	own := m.owners
	if own.mode == "" {
		if own.mode, err = newFileMode(filepath.Dir(name)); err != nil {
			return err
		}
	}
	if err := m.checkPerms(name, res, own, false); err != nil {
		return err
	}
	if res.Comment == "" {
		res.Comment = fmt.Sprintf("File %s updated", name)
	}
	return nil
}

// touchNew creates an empty file. It is readable only by its owner if its mode is set
// afterwards.
func touchNew(name string, private bool) error {
	mode := os.FileMode(0o666)
	if private {
		mode = 0o600
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return f.Close()
}

// newFileMode returns the default mode of new files. The umask cannot be read without
// changing it, so it creates a file.
func newFileMode(dir string) (string, error) {
	path := filepath.Join(dir, fmt.Sprintf(".mode-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := touchNew(path, false); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(path) }()
	i, err := infoOf(path, false)
	return i.mode, err
}

// checked writes the new file elsewhere and runs check_cmd on it. It returns a result if
// that fails.
func (m *managed) checked(ctx context.Context) (*states.Result, error) {
	f, err := os.CreateTemp(m.Str("tmp_dir"), "*"+m.Str("tmp_ext"))
	if err != nil {
		return m.fail("Unable to check_cmd file: %s", osError(err)), nil
	}
	tmp := f.Name()
	m.scratch = append(m.scratch, tmp)
	if err := f.Close(); err != nil {
		return nil, err
	}
	if isFile(m.name) {
		if err := copyFile(m.name, tmp); err != nil {
			return m.fail("Unable to copy file %s to %s: %s", m.name, tmp, osError(err)), nil
		}
	}
	trial := good(m.name, "")
	if err := m.put(ctx, tmp, trial); err != nil {
		return m.fail("Unable to check_cmd file: %s", osError(err)), ctx.Err()
	}
	if trial.Changes.Len() == 0 {
		return nil, nil
	}
	commands, ok := m.Value("check_cmd").([]any)
	if !ok {
		commands = []any{m.Value("check_cmd")}
	}
	for _, command := range commands {
		kw := value.NewMap("python_shell", true, "ignore_retcode", true)
		if shell := m.Env.Grains().String("shell"); shell != "" {
			kw.Set("shell", shell)
		}
		out, err := m.Module(ctx, "cmd.run_all", []any{pystr(command) + " " + tmp}, kw)
		if err != nil {
			return nil, err
		}
		ran, _ := out.(*value.Map)
		if ran.Int("retcode") == 0 {
			continue
		}
		res := m.fail("check_cmd execution failed")
		for _, stream := range []string{"stdout", "stderr"} {
			if s := ran.String(stream); s != "" {
				res.Comment += "\n" + s
			}
		}
		res.Changes = value.NewMap()
		res.Extra = value.NewMap("skip_watch", true)
		return res, nil
	}
	return nil, nil
}
