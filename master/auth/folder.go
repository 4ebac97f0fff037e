package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/master/datacache"
)

// maxTokens bounds the stored tokens, which users could otherwise fill the disk with.
const maxTokens = 100_000

// ext is the extension of token files of Salt 3008.
const ext = ".p"

// folder stores a file for each token (token_dir), in the form of Salt 3008 in its cache, or else in
// that of earlier versions. It reads both.
type folder struct {
	path string
	new  bool // Salt 3008 has used the cache
	log  *slog.Logger
	now  func() time.Time
	most int // tokens
	uid  int // of this program

	mu    sync.Mutex
	count int // about how many there are; -1: nobody has looked yet
	swept time.Time

	logged logs.Throttle[string]
}

func newFolder(path string, log *slog.Logger, now func() time.Time) *folder {
	return &folder{path: path, new: datacache.UsedBySalt3008(filepath.Dir(path)), log: log, now: now, most: maxTokens, uid: os.Geteuid(), count: -1}
}

// make creates the folder, accessible to its owner only.
func (d *folder) make() error {
	if err := durable.Folder(d.path, 0o700); err != nil {
		return fmt.Errorf("make token_dir: %w", err)
	}
	fi, err := os.Stat(d.path)
	if err != nil {
		return fmt.Errorf("token_dir: %w", err)
	}
	if !d.ours(fi) {
		return fmt.Errorf("token_dir %s belongs to another user, who could create tokens; change its owner to the user of the master", d.path)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(d.path, 0o700); err != nil {
			return fmt.Errorf("token_dir: others may look into it: %w", err)
		}
	}
	return nil
}

// ours reports whether a file belongs to the user of this program, or to root.
func (d *folder) ours(fi fs.FileInfo) bool {
	st, ok := posix.StatOf(fi)
	return ok && (st.Uid == 0 || int(st.Uid) == d.uid)
}

// errStranger is wrapped for a file that is not one of the master's tokens.
var errStranger = errors.New("it is not a token of this master")

// read reads a token file. It returns fs.ErrNotExist if the file does not exist.
func (d *folder) read(name string) ([]byte, error) {
	// Do not follow links, and do not block on a pipe.
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_RDONLY|posix.NoFollow|posix.NonBlock, 0)
	switch {
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EMLINK): // the latter on FreeBSD
		return nil, fmt.Errorf("%w: it is a link", errStranger)
	case err != nil:
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%w: it is not a regular file", errStranger)
	case !d.ours(fi):
		return nil, fmt.Errorf("%w: it belongs to another user", errStranger)
	case fi.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("%w: others may write into it", errStranger)
	case fi.Size() > maxToken:
		return nil, fmt.Errorf("%w: it has %d bytes, more than %d", errStranger, fi.Size(), maxToken)
	}
	return io.ReadAll(io.LimitReader(f, maxToken+1))
}

// get returns a token that has not expired. Like Salt, it removes an expired or invalid one. It logs
// and keeps files that the master does not own.
func (d *folder) get(id string) (Token, error) {
	if !isID(id) {
		return Token{}, ErrNoToken
	}
	decode := decodeToken
	b, err := d.read(id)
	if errors.Is(err, fs.ErrNotExist) {
		decode = decodeWrapped
		b, err = d.read(id + ext)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Token{}, ErrNoToken
	}
	if err != nil {
		d.warn("token file ignored", id, err)
		return Token{}, ErrNoToken
	}
	t, err := decode(id, b)
	if err == nil && t.Expire.After(d.now()) {
		return t, nil
	}
	if err != nil {
		d.warn("unreadable token file removed", id, err)
	}
	d.drop(id)
	return Token{}, ErrNoToken
}

// warn logs a problem with a file. It shortens the name, which is the token.
func (d *folder) warn(what, name string, err error) {
	if isID(strings.TrimSuffix(name, ext)) {
		name = name[:8] + "…"
	}
	if n := d.logged.Note(what+name, d.now()); n > 0 {
		var named *fs.PathError
		if errors.As(err, &named) {
			err = named.Err
		}
		d.log.Warn(what, "path", filepath.Join(d.path, name), "err", err) //nolint:sloglint // constant in each caller
	}
}

// drop removes an unusable token. It is not synced: after a power loss the token is still expired.
func (d *folder) drop(id string) {
	err := os.Remove(filepath.Join(d.path, id))
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(filepath.Join(d.path, id+ext))
	}
	if err == nil {
		d.mu.Lock()
		d.count = max(d.count-1, 0)
		d.mu.Unlock()
	} else if !errors.Is(err, fs.ErrNotExist) {
		d.warn("expired token not removed", id, err)
	}
}

// remove removes a valid token, and syncs that.
func (d *folder) remove(id string) error {
	if !isID(id) {
		return ErrNoToken
	}
	// Both forms: a token must not remain in the other one.
	err := durable.Remove(filepath.Join(d.path, id))
	if other := durable.Remove(filepath.Join(d.path, id+ext)); err == nil || errors.Is(err, fs.ErrNotExist) {
		if other == nil || !errors.Is(other, fs.ErrNotExist) {
			err = other
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNoToken
	}
	if err != nil {
		return fmt.Errorf("revoke a token: %w", withoutPath(err))
	}
	d.mu.Lock()
	d.count = max(d.count-1, 0)
	d.mu.Unlock()
	return nil
}

// withoutPath removes the file name, which is the token, from an error.
func withoutPath(err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// add assigns a name to a token and stores it.
func (d *folder) add(ctx context.Context, t Token, hash string) (Token, error) {
	if err := d.room(ctx); err != nil {
		return Token{}, err
	}
	for {
		id, err := newID(hash)
		if err != nil {
			return Token{}, err
		}
		t.Token = id
		name, encode := id, t.encode
		if d.new {
			name, encode = id+ext, t.wrapped
		}
		b, err := encode()
		if err != nil {
			return Token{}, err
		}
		switch err := durable.CreateFile(filepath.Join(d.path, name), b, 0o600); {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return Token{}, fmt.Errorf("write into %s: %w", d.path, cause(err))
		}
		d.mu.Lock()
		d.count++
		d.mu.Unlock()
		return t, nil
	}
}

// cause returns the system's error without the file name.
func cause(err error) error {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return withoutPath(err)
}

// room returns an error if no more tokens may be stored.
func (d *folder) room(ctx context.Context) error {
	d.mu.Lock()
	full, since := d.count < 0 || d.count >= d.most, d.now().Sub(d.swept)
	d.mu.Unlock()
	if !full {
		return nil
	}
	if since < 0 || since >= sweepAgain {
		d.sweep(ctx)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.count >= d.most {
		return fmt.Errorf("%d tokens are kept in %s, and no more are created until some expire; a client logs in repeatedly instead of using its token", d.count, d.path)
	}
	return ctx.Err()
}
