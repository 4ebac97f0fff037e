package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

func init() {
	saltenv := Arg{Name: "saltenv"}
	source := Arg{Name: "path", Required: true}
	const about = `
A path is salt://PATH, also with ?saltenv=ENV. Otherwise saltenv is the
environment, by default that of the option saltenv, or base.
`
	Register("cp",
		Function{
			Name: "get_file", Run: cpGetFile,
			Args: []Arg{source, {Name: "dest", Required: true}, saltenv, {Name: "makedirs", Default: false}, {Name: "template"}, {Name: "gzip"}},
			Doc: `
Copy a file of the master to dest, a file or a folder. Returns its path, "" if
the master has no such file, False if the folder of dest does not exist;
makedirs=True creates it. gzip=1 to 9 compresses the transfer. template=jinja
renders path and dest first.
` + about + `
CLI Example:

    salt '*' cp.get_file salt://path/to/file /minion/dest
`,
		},
		Function{
			Name: "get_dir", Run: cpGetDir,
			Args: []Arg{source, {Name: "dest", Required: true}, saltenv, {Name: "template"}, {Name: "gzip"}},
			Doc: `
Copy a folder of the master with its content into the folder dest. Returns the
files and the empty folders that it created or found. gzip=1 to 9 compresses the
transfer. template=jinja renders path and dest first.
` + about + `
CLI Example:

    salt '*' cp.get_dir salt://path/to/dir/ /minion/dest
`,
		},
		Function{
			Name: "get_url", Run: cpGetURL,
			Args: []Arg{source, {Name: "dest", Default: ""}, saltenv, {Name: "makedirs", Default: false}, {Name: "source_hash"}},
			Doc: `
Copy the file at a path (salt://, http://, https://, file:// or a path of the
minion) to dest, or into the cache of the minion. Returns its path, or its
content with dest=None; False if it does not exist. makedirs=True creates the
folder of dest. A file behind http is not fetched again if the cache has it with
the source_hash.
` + about + `
CLI Example:

    salt '*' cp.get_url salt://my/file /tmp/mine
    salt '*' cp.get_url https://example.com/ /tmp/index.html
`,
		},
		Function{Name: "get_file_str", Args: []Arg{source, saltenv}, Run: cpGetFileStr, Doc: `
Cache a file and return its content, False if it does not exist.
` + about + `
CLI Example:

    salt '*' cp.get_file_str salt://my/file
`},
		Function{
			Name: "cache_file", Run: cpCacheFile,
			Args: []Arg{source, saltenv, {Name: "source_hash"}, {Name: "verify_ssl", Default: true}, {Name: "use_etag", Default: false}},
			Doc: `
Get a file into the cache of the minion. Returns its path there, False if it
does not exist. For files behind http, source_hash skips one that the cache has,
use_etag=True fetches it only if the server has another version, and
verify_ssl=False accepts any certificate.
` + about + `
CLI Example:

    salt '*' cp.cache_file salt://path/to/file
`,
		},
		Function{Name: "cache_files", Args: []Arg{{Name: "paths", Required: true}, saltenv}, Run: cpCacheFiles, Doc: `
Get several files (paths, a list or with commas) into the cache of the minion.
` + about + `
CLI Example:

    salt '*' cp.cache_files salt://a/file1,salt://a/file2
`},
		Function{
			Name: "cache_dir", Run: cpCacheDir,
			Args: []Arg{source, saltenv, {Name: "include_empty", Default: false}, {Name: "include_pat"}, {Name: "exclude_pat"}},
			Doc: `
Get the files of a folder into the cache of the minion: those that include_pat
matches and exclude_pat does not, each a glob or E@ and a regular expression;
with include_empty=True its empty folders too.
` + about + `
CLI Example:

    salt '*' cp.cache_dir salt://path/to/dir
    salt '*' cp.cache_dir salt://path/to/dir include_pat='E@.*\.conf$'
`,
		},
		Function{Name: "cache_master", Args: []Arg{saltenv}, Run: cpCacheMaster, Doc: `
Get all files of an environment (saltenv) into the cache of the minion.

CLI Example:

    salt '*' cp.cache_master
`},
		Function{Name: "cache_local_file", Args: []Arg{source}, Run: cpCacheLocal, Doc: `
Copy a file of the minion (path) into its cache.

CLI Example:

    salt '*' cp.cache_local_file /etc/hosts
`},
		Function{Name: "cache_dest", Args: []Arg{{Name: "url", Required: true}, saltenv}, Run: cpCacheDest, Doc: `
Return where the cache keeps a file (url, of saltenv), whether it has it or not.

CLI Example:

    salt '*' cp.cache_dest salt://my/file
`},
		Function{Name: "is_cached", Args: []Arg{source, saltenv}, Run: cpIsCached, Doc: `
Return the path of a file in the cache of the minion, "" if it is not cached.
` + about + `
CLI Example:

    salt '*' cp.is_cached salt://path/to/file
`},
		Function{Name: "hash_file", Args: []Arg{source, saltenv}, Run: cpHashFile, Doc: `
Return the hash of a file of the master, or of a file of the minion.
` + about + `
CLI Example:

    salt '*' cp.hash_file salt://path/to/file
`},
		Function{Name: "stat_file", Args: []Arg{source, saltenv, {Name: "octal", Default: true}}, Run: cpStatFile, Doc: `
Return the mode of a file: in octal digits, or as a number with octal=False.
` + about + `
CLI Example:

    salt '*' cp.stat_file salt://path/to/file
`},
	)
}

// saltenvOf returns the environment of a call.
func saltenvOf(c *Call) string {
	if env := c.Str("saltenv"); env != "" {
		return env
	}
	if env := PyStr(c.Env.Option("saltenv")); env != "" && c.Env.Option("saltenv") != nil {
		return env
	}
	return "base"
}

// absentFile reports whether an error means that a file does not exist.
func absentFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// fileError converts an error of the file client to the form users read.
func fileError(err error) error {
	if err == nil {
		return nil
	}
	var path *fileclient.PathError
	if errors.As(err, &path) {
		return &InvocationError{err.Error()}
	}
	return &CommandError{err.Error()}
}

// wants parses the arguments common to functions that fetch files.
func wants(c *Call) (fileclient.Want, error) {
	w := fileclient.Want{Saltenv: saltenvOf(c), Makedirs: c.IsTrue("makedirs"), SourceHash: c.Str("source_hash")}
	if c.Value("gzip") != nil {
		n, err := c.Int("gzip")
		if err != nil || n < 0 || n > 9 {
			return w, argErrorf("gzip is a number from 1 to 9, not %s", PyRepr(c.Value("gzip")))
		}
		w.Gzip = int(n)
	}
	return w, nil
}

func cpGetFile(ctx context.Context, c *Call) (any, error) {
	if err := renderNames(ctx, c); err != nil {
		return nil, err
	}
	w, err := wants(c)
	if err != nil {
		return nil, err
	}
	source := c.Str("path")
	if !fileclient.IsURL(source) {
		return nil, CommandErrorf("Unsupported path: %s", source)
	}
	dest, err := c.Env.Files().Get(ctx, source, c.Str("dest"), w)
	switch {
	case errors.Is(err, fileclient.ErrNoFolder):
		return false, nil
	case absentFile(err):
		return "", nil
	}
	return dest, fileError(err)
}

func cpGetDir(ctx context.Context, c *Call) (any, error) {
	if err := renderNames(ctx, c); err != nil {
		return nil, err
	}
	w, err := wants(c)
	if err != nil {
		return nil, err
	}
	got, err := c.Env.Files().Folder(ctx, c.Str("path"), c.Str("dest"), w)
	return wire.AnyList(got), fileError(err)
}

func cpGetURL(ctx context.Context, c *Call) (any, error) {
	w, err := wants(c)
	if err != nil {
		return nil, err
	}
	dest, isPath := c.Value("dest").(string)
	path, err := c.Env.Files().Get(ctx, c.Str("path"), dest, w)
	switch {
	case fileclient.IsURL(c.Str("path")) && (absentFile(err) || errors.Is(err, fileclient.ErrNoFolder)):
		return false, nil
	case errors.Is(err, fileclient.ErrNoFolder):
		return "", nil
	case err != nil || isPath:
		return path, fileError(err)
	}
	text, err := os.ReadFile(path)
	return string(text), fileError(err)
}

func cpGetFileStr(ctx context.Context, c *Call) (any, error) {
	data, err := c.Env.Files().Read(ctx, c.Str("path"), fileclient.Want{Saltenv: saltenvOf(c)})
	if absentFile(err) {
		return false, nil
	}
	return string(data), fileError(err)
}

func cpCacheFile(ctx context.Context, c *Call) (any, error) {
	w, err := wants(c)
	if err != nil {
		return nil, err
	}
	w.SkipVerify, w.ETag = !c.IsTrue("verify_ssl"), c.IsTrue("use_etag")
	return cached(ctx, c, c.Str("path"), w)
}

// cached fetches a file into the cache. It returns False if the file does not exist.
func cached(ctx context.Context, c *Call, source string, w fileclient.Want) (any, error) {
	path, err := c.Env.Files().Cache(ctx, source, w)
	if absentFile(err) {
		return false, nil
	}
	return path, fileError(err)
}

func cpCacheFiles(ctx context.Context, c *Call) (any, error) {
	out := []any{}
	for _, source := range textList(c.Value("paths")) {
		path, err := cached(ctx, c, source, fileclient.Want{Saltenv: saltenvOf(c)})
		if err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, nil
}

func cpCacheDir(ctx context.Context, c *Call) (any, error) {
	w := fileclient.Want{Saltenv: saltenvOf(c)}
	got, err := c.Env.Files().CacheFolder(ctx, c.Str("path"), w, c.IsTrue("include_empty"), c.Str("include_pat"), c.Str("exclude_pat"))
	return wire.AnyList(got), fileError(err)
}

func cpCacheMaster(ctx context.Context, c *Call) (any, error) {
	got, err := c.Env.Files().CacheFolder(ctx, fileclient.URL(""), fileclient.Want{Saltenv: saltenvOf(c)}, false, "", "")
	return wire.AnyList(got), fileError(err)
}

func cpCacheLocal(_ context.Context, c *Call) (any, error) {
	path, err := c.Env.Files().KeepLocal(c.Str("path"))
	if absentFile(err) {
		return "", nil
	}
	return path, fileError(err)
}

func cpCacheDest(_ context.Context, c *Call) (any, error) {
	path, err := c.Env.Files().Place(c.Str("url"), saltenvOf(c))
	return path, fileError(err)
}

func cpIsCached(_ context.Context, c *Call) (any, error) {
	path, err := c.Env.Files().Cached(c.Str("path"), saltenvOf(c))
	return path, fileError(err)
}

func cpHashFile(ctx context.Context, c *Call) (any, error) {
	source := c.Str("path")
	h, err := c.Env.Files().Hash(ctx, source, saltenvOf(c))
	switch {
	case absentFile(err) && fileclient.IsURL(source):
		return "", nil
	case absentFile(err):
		return value.NewMap(), nil
	case err != nil:
		return nil, fileError(err)
	}
	return h.Map(), nil
}

func cpStatFile(ctx context.Context, c *Call) (any, error) {
	mode, known, err := c.Env.Files().Mode(ctx, c.Str("path"), saltenvOf(c))
	switch {
	case absentFile(err), err == nil && !known:
		return nil, nil
	case err != nil:
		return nil, fileError(err)
	case c.IsTrue("octal"):
		return octalMode(uint32(mode)), nil
	}
	return mode, nil
}

// modeBits are file modes: their width differs by system.
type modeBits interface{ ~uint16 | ~uint32 }

// octalMode returns a mode in Salt's form: four digits.
func octalMode[M modeBits](mode M) string {
	digits := "0000" + strings.TrimLeft(octal(uint32(mode)&0o7777), "0")
	return digits[len(digits)-4:]
}
