package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/archives"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	saltenv, hash, etag := Arg{Name: "saltenv", Default: "base"}, Arg{Name: "source_hash"}, Arg{Name: "use_etag", Default: false}
	runas, trim := Arg{Name: "runas"}, Arg{Name: "trim_output", Default: false}
	const about = `
runas is the user who does it.
`
	Register("archive",
		Function{Name: "list", Run: archiveList, Args: []Arg{
			{Name: "name", Required: true},
			{Name: "archive_format"},
			{Name: "options"},
			{Name: "strip_components"},
			{Name: "clean", Default: false},
			{Name: "verbose", Default: false},
			saltenv, hash, etag,
		}, Doc: `
List the paths in an archive, a tar archive or a zip archive.

name is a path or an address; saltenv, source_hash and use_etag are as in cp.cache_file.
archive_format is tar or zip where the name does not say so. options is a command that
decompresses a tar archive to its standard output. strip_components takes folders from
the paths. With verbose there are lists by kind. clean removes the archive afterwards.

CLI Example:

    salt '*' archive.list /path/to/myfile.tar.gz
    salt '*' archive.list salt://foo.zip verbose=True
`},
		Function{Name: "is_encrypted", Run: archiveEncrypted, Args: []Arg{{Name: "name", Required: true}, {Name: "clean", Default: false}, saltenv, hash, etag}, Doc: `
Report whether a zip archive is encrypted.

name is a path or an address; saltenv, source_hash and use_etag are as in cp.cache_file.
clean removes the archive afterwards.

CLI Example:

    salt '*' archive.is_encrypted salt://foo.zip
`},
		Function{Name: "tar", Run: archiveTar, Args: []Arg{
			{Name: "options", Required: true},
			{Name: "tarfile", Required: true},
			{Name: "sources"},
			{Name: "dest"},
			{Name: "cwd"},
			runas,
		}, Doc: `
Run tar with options on the archive tarfile and return the lines that it writes. sources
are packed, as a list or with commas; dest is where is extracted to; cwd is the folder tar runs in.
` + about + `
CLI Example:

    salt '*' archive.tar cjvf /tmp/tarfile.tar.bz2 /tmp/file_1,/tmp/file_2
    salt '*' archive.tar xf foo.tar dest=/target/directory
`},
		Function{Name: "gzip", Run: archiveGzip("gzip", "sourcefile"), Args: []Arg{{Name: "sourcefile", Required: true}, runas, {Name: "options"}}, Doc: `
Compress sourcefile with gzip and its options.
` + about + `
CLI Example:

    salt '*' archive.gzip /tmp/sourcefile.txt
`},
		Function{Name: "gunzip", Run: archiveGzip("gunzip", "gzipfile"), Args: []Arg{{Name: "gzipfile", Required: true}, runas, {Name: "options"}}, Doc: `
Decompress gzipfile with gunzip and its options.
` + about + `
CLI Example:

    salt '*' archive.gunzip /tmp/sourcefile.txt.gz
`},
		Function{Name: "cmd_unzip", Run: archiveCmdUnzip, Args: []Arg{
			{Name: "zip_file", Required: true},
			{Name: "dest", Required: true},
			{Name: "excludes"},
			{Name: "options"},
			runas, trim,
			{Name: "password"},
		}, Doc: `
Extract zip_file to the folder dest with the program unzip and its options, and return the
names. excludes are left out. trim_output is how many names are returned at most. The
password is seen by users of the host who list processes.
` + about + `
CLI Example:

    salt '*' archive.cmd_unzip /tmp/zipfile.zip /home/strongbad/
`},
		Function{Name: "unzip", Run: archiveUnzip, Args: []Arg{
			{Name: "zip_file", Required: true},
			{Name: "dest", Required: true},
			{Name: "excludes"},
			{Name: "options"},
			trim,
			{Name: "password"},
			{Name: "extract_perms", Default: true},
		}, Doc: `
Extract zip_file to the folder dest and return the names. excludes are left out.
trim_output is how many names are returned at most. extract_perms gives members the modes
that the archive has. options and password are for archive.cmd_unzip.

CLI Example:

    salt '*' archive.unzip /tmp/zipfile.zip /home/strongbad/ excludes=file_1,file_2
`},
	)
}

// cachedArchive is the path of an archive on this host.
func (c *Call) cachedArchive(ctx context.Context) (string, error) {
	name := c.Str("name")
	if strings.HasPrefix(name, "/") {
		return name, nil
	}
	want := fileclient.Want{Saltenv: c.Str("saltenv"), ETag: c.IsTrue("use_etag"), SourceHash: c.Str("source_hash")}
	path, err := c.Env.Files().Cache(ctx, name, want)
	if err != nil {
		return "", CommandErrorf("Failed to cache %s", fileclient.Redact(name))
	}
	return path, nil
}

func archiveList(ctx context.Context, c *Call) (any, error) {
	path, err := c.cachedArchive(ctx)
	if err != nil {
		return nil, err
	}
	contents, err := c.archiveContents(ctx, path)
	if err != nil {
		return nil, &InfoError{Msg: err.Error(), Info: value.NewMap("archive location", path)}
	}
	if c.IsTrue("clean") {
		_ = os.Remove(path)
	}
	contents.Sort()
	if !c.IsTrue("verbose") {
		all := slices.Concat(contents.Dirs, contents.Files, contents.Links)
		slices.Sort(all)
		return wire.AnyList(all), nil
	}
	return value.NewMap("dirs", wire.AnyList(contents.Dirs), "files", wire.AnyList(contents.Files), "links", wire.AnyList(contents.Links),
		"top_level_dirs", wire.AnyList(contents.TopDirs()), "top_level_files", wire.AnyList(archives.Top(contents.Files)),
		"top_level_links", wire.AnyList(archives.Top(contents.Links))), nil
}

// archiveContents lists an archive by its format.
func (c *Call) archiveContents(ctx context.Context, path string) (archives.Contents, error) {
	var contents archives.Contents
	strip := int64(0)
	if v := c.Value("strip_components"); isTrue(v) || v != nil && v != int64(0) {
		n, ok := Integer(v)
		if !ok || n <= 0 {
			return contents, CommandErrorf("'strip_components' must be a positive integer")
		}
		strip = n
	}
	format := c.Str("archive_format")
	if format == "" {
		if format = archives.Guess(c.Str("name")); format == "" {
			return contents, CommandErrorf("Unable to guess archive format, please pass an 'archive_format' argument.")
		}
	}
	var err error
	switch format {
	case "tar":
		contents, err = archives.ListTar(path)
		if errors.Is(err, archives.ErrFormat) && c.Str("options") != "" {
			contents, err = c.listDecompressed(ctx, path)
		}
		if errors.Is(err, archives.ErrFormat) {
			err = CommandErrorf("Unable to list contents of %s. If this is an XZ-compressed tar archive, install XZ Utils to enable listing its contents. "+
				"If it is compressed using something other than XZ, it may be necessary to specify CLI options to decompress the archive. "+
				"See the documentation for details.", c.Str("name"))
		}
	case "zip":
		contents, err = archives.ListZip(path)
		if errors.Is(err, archives.ErrFormat) {
			err = CommandErrorf("%s is not a ZIP file", c.Str("name"))
		}
	default:
		err = CommandErrorf("Unsupported archive format '%s'", format)
	}
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = CommandErrorf("Failed to list contents of %s: %s", c.Str("name"), pythonOSError(err))
	}
	if err != nil {
		return contents, err
	}
	contents.Strip(int(strip))
	return contents, nil
}

// listDecompressed lists what the command options makes of an archive.
func (c *Call) listDecompressed(ctx context.Context, path string) (archives.Contents, error) {
	words, err := pyfmt.SplitCommand(c.Str("options"))
	if err != nil || len(words) == 0 {
		return archives.Contents{}, CommandErrorf("Invalid CLI options")
	}
	program := which(words[0])
	if program == "" {
		return archives.Contents{}, CommandErrorf("%s is not installed", words[0])
	}
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program, append(words[1:], path)...)
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return archives.Contents{}, CommandErrorf("Failed to decompress %s: %v", c.Str("name"), err)
	}
	contents, err := archives.ListStream(out)
	_ = out.Close()
	if ended := cmd.Wait(); err != nil && ended != nil {
		return contents, CommandErrorf("Failed to decompress %s: %s", c.Str("name"), strings.TrimSpace(said.String()))
	}
	return contents, err
}

func archiveEncrypted(ctx context.Context, c *Call) (any, error) {
	path, err := c.cachedArchive(ctx)
	if err != nil {
		return nil, err
	}
	is, err := archives.Encrypted(path)
	if errors.Is(err, archives.ErrFormat) {
		return nil, &InfoError{Msg: c.Str("name") + " is not a ZIP file.", Info: value.NewMap("archive location", path)}
	}
	if err != nil {
		return nil, osFault(err)
	}
	if c.IsTrue("clean") {
		_ = os.Remove(path)
	}
	return is, nil
}

// archiveRun runs a program as the user runas and returns the lines it writes.
func (c *Call) archiveRun(ctx context.Context, cwd any, strict bool, words ...string) ([]string, error) {
	kwargs := value.NewMap("python_shell", false, "runas", c.Value("runas"), "raise_err", strict)
	if cwd != nil {
		kwargs.Set("cwd", cwd)
	}
	out, err := c.sub(ctx, "cmd.run", []any{wire.AnyList(words)}, kwargs)
	if err != nil {
		return nil, err
	}
	text := PyStr(out)
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), nil
}

func archiveTar(ctx context.Context, c *Call) (any, error) {
	if c.Str("options") == "" {
		return nil, InvocationErrorf("Tar options can not be empty")
	}
	words := append(append([]string{"tar"}, strings.Fields(c.Str("options"))...), c.Str("tarfile"))
	if dest := c.Str("dest"); dest != "" {
		words = append(words, "-C", dest)
	}
	if c.Value("sources") != nil {
		for _, source := range textList(c.Value("sources")) {
			if !strings.ContainsAny(source, "*?[") {
				words = append(words, source)
				continue
			}
			found, err := filepath.Glob(source)
			if err != nil {
				return nil, InvocationErrorf("sources: %s: %v", source, err)
			}
			words = append(words, found...)
		}
	}
	lines, err := c.archiveRun(ctx, c.Value("cwd"), false, words...)
	return wire.AnyList(lines), err
}

func archiveGzip(program, arg string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		words := []string{program}
		if c.Str("options") != "" {
			words = append(words, c.Str("options"))
		}
		lines, err := c.archiveRun(ctx, nil, false, append(words, c.Str(arg))...)
		return wire.AnyList(lines), err
	}
}

// trimmed keeps as many names as trim_output says; True is 100.
func (c *Call) trimmed(names []string) ([]any, error) {
	limit := 100
	switch v := c.Value("trim_output").(type) {
	case nil:
		return wire.AnyList(names), nil
	case bool:
		if !v {
			return wire.AnyList(names), nil
		}
	default:
		n, ok := Integer(v)
		if !ok || n < 0 {
			return nil, argErrorf("trim_output must be True, False or a number, not %s", PyRepr(v))
		}
		limit = int(min(n, int64(len(names))))
	}
	return wire.AnyList(names[:min(limit, len(names))]), nil
}

func archiveCmdUnzip(ctx context.Context, c *Call) (any, error) {
	words := []string{"unzip"}
	if c.Str("password") != "" {
		words = append(words, "-P", c.Str("password"))
	}
	options, err := pyfmt.SplitCommand(c.Str("options"))
	if err != nil {
		return nil, InvocationErrorf("options: %v", err)
	}
	words = append(append(words, options...), c.Str("zip_file"), "-d", c.Str("dest"))
	if excluded := textList(c.Value("excludes")); len(excluded) > 0 && excluded[0] != "" {
		words = append(append(words, "-x"), excluded...)
	}
	if which("unzip") == "" {
		return nil, &NotFoundError{"unzip"}
	}
	lines, err := c.archiveRun(ctx, nil, true, words...)
	if err != nil {
		return nil, err
	}
	return c.trimmed(lines)
}

func archiveUnzip(ctx context.Context, c *Call) (any, error) {
	if c.Str("password") != "" || c.Str("options") != "" {
		return nil, InvocationErrorf("archive.unzip takes neither password nor options here: use archive.cmd_unzip")
	}
	u := archives.Unzip{Excludes: map[string]bool{}, Modes: c.IsTrue("extract_perms")}
	for _, name := range textList(c.Value("excludes")) {
		u.Excludes[name] = true
	}
	names, err := archives.ExtractZip(ctx, c.Str("zip_file"), c.Str("dest"), u)
	if err != nil {
		return nil, CommandErrorf("Exception encountered unpacking zipfile: %s", pythonOSError(err))
	}
	return c.trimmed(names)
}
