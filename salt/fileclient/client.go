package fileclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/value"
)

// MaxFile is how large a file may be that is fetched, in bytes.
const MaxFile = 64 << 30

// MaxText is how large a file may be that is read into memory, in bytes.
const MaxText = 64 << 20

// Options are those of a [Client].
type Options struct {
	// Source has the salt:// files; nil: there are none, which an error says.
	Source Source
	// Cachedir is the option cachedir: files are cached in its folders files,
	// extrn_files and localfiles.
	Cachedir string
	// HashType is that of files of this host. Default sha256.
	HashType string
	// MaxFile bounds what is fetched, in bytes. Default [MaxFile].
	MaxFile int64
	Log     *slog.Logger // nil: slog.Default()
}

// Client gets files. Its methods may be called concurrently.
type Client struct{ o Options }

// ErrNoSource says that there is nobody to ask for salt:// files.
var ErrNoSource = errors.New("no master to ask for files: this call runs locally and file_client is not local")

// New makes a client.
func New(o Options) *Client {
	if o.HashType == "" {
		o.HashType = "sha256"
	}
	if o.MaxFile == 0 {
		o.MaxFile = MaxFile
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Source == nil {
		o.Source = nobody{}
	}
	return &Client{o}
}

// Envs are the environments.
func (c *Client) Envs(ctx context.Context) ([]string, error) { return c.o.Source.Envs(ctx) }

// List names what lies in an environment, sorted.
func (c *Client) List(ctx context.Context, kind Kind, saltenv, prefix string) ([]string, error) {
	names, err := c.o.Source.List(ctx, kind, saltenv, prefix)
	// What a source names becomes a path on this host.
	names = slices.DeleteFunc(names, func(name string) bool {
		bad := name != "." && check("path", name) != nil
		if bad {
			c.o.Log.Warn("unsafe path in file list ignored", "path", name, "saltenv", saltenv)
		}
		return bad
	})
	return names, err
}

// Symlinks maps each link of an environment to its target as written.
func (c *Client) Symlinks(ctx context.Context, saltenv, prefix string) (*value.Map, error) {
	return c.o.Source.Symlinks(ctx, saltenv, prefix)
}

// States are the SLS names of an environment, sorted.
func (c *Client) States(ctx context.Context, saltenv string) ([]string, error) {
	files, err := c.List(ctx, Files, saltenv, "")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range files {
		sls, ok := strings.CutSuffix(name, ".sls")
		if !ok {
			continue
		}
		out = append(out, strings.ReplaceAll(strings.TrimSuffix(sls, "/init"), "/", "."))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Hash is the hash of a file: of a salt:// address as the source tells it, of a
// file of this host by the option hash_type.
func (c *Client) Hash(ctx context.Context, source, saltenv string) (Hash, error) {
	if !IsURL(source) {
		return c.hashLocal(source, c.o.HashType)
	}
	path, env, err := locate(source, saltenv)
	if err != nil {
		return Hash{}, err
	}
	return c.o.Source.Hash(ctx, env, path)
}

// Mode is that of a file, as os.stat counts it; false when it is not known.
func (c *Client) Mode(ctx context.Context, source, saltenv string) (int64, bool, error) {
	if !IsURL(source) {
		st, err := os.Stat(source)
		if err != nil {
			return 0, false, err
		}
		return int64(unixMode(st)), true, nil
	}
	path, env, err := locate(source, saltenv)
	if err != nil {
		return 0, false, err
	}
	stat, err := c.o.Source.Stat(ctx, env, path)
	if err != nil || len(stat) == 0 {
		return 0, false, err
	}
	return stat[0], true, nil
}

func (c *Client) hashLocal(path, kind string) (Hash, error) {
	f, err := os.Open(path)
	if err != nil {
		return Hash{}, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return Hash{}, errors.Join(err, fmt.Errorf("%s is no regular file: %w", path, fs.ErrNotExist))
	}
	h, err := crypt.NewHash(kind)
	if err != nil {
		return Hash{}, err
	}
	if _, err := io.Copy(h, f); err != nil {
		return Hash{}, err
	}
	return Hash{kind, hex.EncodeToString(h.Sum(nil))}, nil
}

// Place is where the cache keeps a file of an address, whether it has it or not.
// A path of this host is its own place.
func (c *Client) Place(source, saltenv string) (string, error) {
	if IsURL(source) {
		path, env, err := locate(source, saltenv)
		if err != nil {
			return "", err
		}
		return inside(filepath.Join(c.o.Cachedir, "files", env), bare(path))
	}
	u, err := url.Parse(source)
	if err != nil {
		return "", fmt.Errorf("the source %q is no address: %w", source, err)
	}
	if u.Scheme == "" {
		return source, nil
	}
	if err := check("environment", saltenv); err != nil {
		return "", err
	}
	name := strings.TrimPrefix(u.Path, "/")
	if u.RawQuery != "" {
		name += "-" + u.RawQuery
	}
	if len(name) > 255 {
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	if name == "" {
		name = "index.html"
	}
	host, err := inside(filepath.Join(c.o.Cachedir, "extrn_files", saltenv), u.Host)
	if err != nil {
		return "", err
	}
	return inside(host, name)
}

// Cached is where a file lies in the cache, "" when it does not.
func (c *Client) Cached(source, saltenv string) (string, error) {
	place, err := c.Place(source, saltenv)
	if err != nil {
		return "", err
	}
	places := []string{place}
	if path, _ := Split(source); check("path", strings.TrimLeft(path, "|/")) == nil {
		rel := filepath.FromSlash(strings.TrimLeft(path, "|/"))
		places = []string{place, filepath.Join(c.o.Cachedir, "localfiles", rel)}
		if !IsURL(source) {
			places = []string{filepath.Join(c.o.Cachedir, "files", saltenv, rel), places[1], place}
			if !strings.Contains(source, "://") {
				places = places[:2]
			}
		}
	}
	for _, p := range places {
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", nil
}

// Kept lists the files of the cache of an environment and those of this host
// that were cached, sorted.
func (c *Client) Kept(saltenv string) ([]string, error) {
	if err := check("environment", saltenv); err != nil {
		return nil, err
	}
	out := []string{}
	for _, dir := range []string{filepath.Join(c.o.Cachedir, "files", saltenv), filepath.Join(c.o.Cachedir, "localfiles")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case !d.IsDir():
				out = append(out, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// nobody is a source without files.
type nobody struct{}

func (nobody) Envs(context.Context) ([]string, error) { return nil, ErrNoSource }

func (nobody) List(context.Context, Kind, string, string) ([]string, error) { return nil, ErrNoSource }

func (nobody) Symlinks(context.Context, string, string) (*value.Map, error) { return nil, ErrNoSource }

func (nobody) Hash(context.Context, string, string) (Hash, error) { return Hash{}, ErrNoSource }

func (nobody) Stat(context.Context, string, string) ([]int64, error) { return nil, ErrNoSource }

func (nobody) Read(context.Context, string, string, int64, int) ([]byte, error) {
	return nil, ErrNoSource
}
