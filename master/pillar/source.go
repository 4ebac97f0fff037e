package pillar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/render"
)

// ReadSource reads the file of slsutil.renderer for a template of pillar: a path of this
// machine. One that does not exist is empty, as in Salt. It refuses templates of anything else,
// which give the text themselves.
func ReadSource(ctx context.Context, _, from string, limit int) ([]byte, error) {
	p := passOf(ctx)
	path := strings.TrimPrefix(from, "file://")
	switch {
	case p == nil:
		return nil, &render.Refused{Text: "slsutil.renderer: files cannot be read by path here; give the text as string"}
	case !filepath.IsAbs(path):
		return nil, &render.Refused{Text: fmt.Sprintf("slsutil.renderer: %s is not an absolute path of this machine, and pillar reads no other files", from)}
	}
	p.seen.unfit("a template calls slsutil.renderer with a path")
	b, err := readRegular(path, min(limit, maxFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("slsutil.renderer: %w", err)
	}
	return b, nil
}

// readRegular reads a regular file of at most limit bytes.
func readRegular(path string, limit int) ([]byte, error) {
	st, err := os.Stat(path) // before it is opened: to open a pipe may block
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return b, err
}

// pillarFileExists reports whether pillar_roots have a file, in one environment or in any.
func pillarFileExists(ctx context.Context, a args) (any, error) {
	p := passOf(ctx)
	if p == nil {
		return nil, errors.New("pillar.file_exists: only templates of pillar can call it")
	}
	envs := p.files.Envs()
	if env := a.text("saltenv"); env != "" {
		envs = []string{env}
	}
	for _, env := range envs {
		path := a.text("path")
		p.seen.file(p.files, env, path)
		if path != "" && p.files.Stamp(env, path) != "" {
			return true, nil
		}
	}
	return false, nil
}

// cpGetFileStr returns the content of a file: of this machine by its absolute path, or of pillar_roots with salt://, as in
// Salt. It is False if it does not exist.
func cpGetFileStr(ctx context.Context, a args) (any, error) {
	b, err := readFor(ctx, a.text("path"), a.text("saltenv"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cp.get_file_str: %w", err)
	}
	return string(b), nil
}

// readFor reads the source of a call: a path of this machine, or a file of pillar_roots in an environment.
func readFor(ctx context.Context, source, env string) ([]byte, error) {
	path, inRoots := strings.CutPrefix(source, "salt://")
	if !inRoots {
		path = strings.TrimPrefix(source, "file://")
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("%s is neither an absolute path of this machine nor a file of pillar_roots (salt://…)", source)
		}
		return readRegular(path, maxFile)
	}
	p := passOf(ctx)
	if p == nil {
		return nil, errors.New("only templates of pillar can read pillar_roots")
	}
	if env == "" {
		env = "base"
	}
	return p.files.Open(ctx, env, path)
}
