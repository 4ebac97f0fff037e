package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/text"
	"github.com/momtree/mom/value"
)

func init() {
	path := Arg{Name: "path", Required: true}
	Register("file",
		Function{Name: "grep", Args: []Arg{path, {Name: "pattern", Required: true}}, VarArgs: true, Run: fileGrep, Doc: `
Search for pattern with grep in the file path, which may be a glob. Further
arguments are options of grep, one each. Returns the output in the form of
cmd.run_all.

CLI Example:

    salt '*' file.grep /etc/passwd nobody
    salt '*' file.grep /etc/sysconfig/network-scripts/ifcfg-eth0 ipaddr -- -i -B2
`},
		Function{
			Name: "patch", Run: filePatch,
			Args: []Arg{{Name: "originalfile", Required: true}, {Name: "patchfile", Required: true}, {Name: "options", Default: ""}, {Name: "dry_run", Default: false}},
			Doc: `
Apply patchfile to originalfile, a file or a folder, with the program patch and
its options. dry_run=True changes nothing. Returns the output in the form of
cmd.run_all.

CLI Example:

    salt '*' file.patch /opt/file.txt /tmp/file.txt.patch
`,
		},
		Function{Name: "lsattr", Args: []Arg{path}, Run: fileLsattr, Doc: `
Return the attributes of the file path, or of the files in the folder path, with
the program lsattr; None on a host without it.

CLI Example:

    salt '*' file.lsattr foo1.txt
`},
		Function{Name: "get_devmm", Args: []Arg{{Name: "name", Required: true}}, Run: fileDevice, Doc: `
Return the major and minor number of the device name, zeros if it is not a device.

CLI Example:

    salt '*' file.get_devmm /dev/chr
`},
		Function{
			Name: "get_diff", Run: fileDiff,
			Args: []Arg{
				{Name: "file1", Required: true},
				{Name: "file2", Required: true},
				{Name: "saltenv", Default: "base"},
				{Name: "show_filenames", Default: true},
				{Name: "show_changes", Default: true},
				{Name: "template", Default: false},
				{Name: "source_hash_file1"},
				{Name: "source_hash_file2"},
			},
			Doc: `
Return the difference of two files: file1 and file2 are paths of the minion or
URLs, also of the file server (salt://, from saltenv). show_filenames=False leaves
their names out; show_changes=False, or template=True with the option
obfuscate_templates, leaves all of it out. With source_hash_file1 and
source_hash_file2 a file behind http that the cache has is not fetched again.

CLI Example:

    salt '*' file.get_diff /home/fred/.vimrc salt://users/fred/.vimrc
`,
		},
		Function{Name: "makedirs_perms", Args: []Arg{{Name: "name", Required: true}, {Name: "user"}, {Name: "group"}, {Name: "mode", Default: "0755"}}, Run: fileMakedirsPerms, Doc: `
Create the folder name and its missing parents, with user, group and mode (in
octal digits). It is an error if it exists.

CLI Example:

    salt '*' file.makedirs_perms /opt/code
`},
	)
	for name, what := range map[string]string{
		"set_selinux_context": "sets the SELinux context of", "get_selinux_context": "returns the SELinux context of", "restorecon": "resets the SELinux context of",
	} {
		Register("file", Function{Name: name, Args: []Arg{path}, VarArgs: true, VarKw: true, Run: fileNoSelinux, Doc: `
Refused by this minion: with Salt it ` + what + ` path.

CLI Example:

    salt '*' file.` + name + ` /etc/passwd
`})
	}
}

func fileNoSelinux(_ context.Context, c *Call) (any, error) {
	return nil, CommandErrorf("%s is not supported; use chcon, semanage or restorecon with cmd.run", c.Fun)
}

// result returns the output of a program, and sets the exit code of the job.
func (c *Call) result(r ran, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	c.Retcode = r.retcode
	return r.all(), nil
}

func fileGrep(ctx context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	words := []string{"grep"}
	for _, o := range c.Rest() {
		opt := PyStr(o)
		split, err := pyfmt.SplitCommand(opt)
		if err != nil || len(split) > 1 {
			return nil, InvocationErrorf("Passing multiple command line arguments in a single string is not supported, please pass the following arguments separately: %s", opt)
		}
		words = append(words, split...)
	}
	files, err := filepath.Glob(path)
	if err != nil || len(files) == 0 {
		files = []string{path}
	}
	// The pattern and the files are never options of grep, even if they begin with -.
	words = append(append(words, "-e", c.Str("pattern"), "--"), files...)
	return c.result(c.exec(ctx, words...))
}

func filePatch(ctx context.Context, c *Call) (any, error) {
	options, err := pyfmt.SplitCommand(c.Str("options"))
	if err != nil {
		return nil, &ExceptionError{Type: "ValueError", Msg: err.Error()}
	}
	if which("patch") == "" {
		return nil, CommandErrorf("patch executable not found. Is the distribution's patch package installed?")
	}
	words := append([]string{"patch"}, options...)
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(options, func(o string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return o == p || strings.HasPrefix(p, "--") && strings.HasPrefix(o, p) })
		})
	}
	if c.IsTrue("dry_run") {
		words = append(words, "--dry-run")
	}
	if !has("-N", "--forward") {
		words = append(words, "--forward") // never prompts
	}
	if !has("-r", "--reject-file") {
		words = append(words, "--reject-file=-")
	}
	words = append(words, "-i", c.Str("patchfile"))
	original := c.path("originalfile")
	if folder(original) {
		words = append(words, "-d", original)
		if !slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "-p") || strings.HasPrefix(o, "--strip=") }) {
			words = append(words, "--strip=0")
		}
	} else {
		if err := plainArg("originalfile", original); err != nil {
			return nil, err
		}
		words = append(words, original)
	}
	return c.result(c.exec(ctx, words...))
}

var attributes = regexp.MustCompile(`[aAcCdDeijPsStTu]`)

func fileLsattr(ctx context.Context, c *Call) (any, error) {
	path, err := c.filePath("path")
	if err != nil {
		return nil, err
	}
	if which("lsattr") == "" {
		return nil, nil
	}
	if absentPath(path) {
		return nil, InvocationErrorf("File or directory does not exist: %s", path)
	}
	r, err := c.exec(ctx, "lsattr", "--", path)
	if err != nil {
		return nil, err
	}
	m := value.NewMap()
	for _, line := range strings.Split(r.stdout, "\n") {
		attrs, name, ok := strings.Cut(line, " ")
		if ok && !strings.HasPrefix(line, "lsattr: ") {
			m.Set(strings.TrimLeft(name, " "), wire.AnyList(attributes.FindAllString(attrs, -1)))
		}
	}
	return m, nil
}

func fileDiff(ctx context.Context, c *Call) (any, error) {
	var paths, bodies []string
	var faults []any
	for _, name := range []string{"file1", "file2"} {
		if filepath.IsAbs(c.Str(name)) {
			paths = append(paths, c.Str(name))
			continue
		}
		got, err := cached(ctx, c, c.Str(name), fileclient.Want{Saltenv: saltenvOf(c), SourceHash: c.Str("source_hash_" + name)})
		switch {
		case err != nil:
			faults = append(faults, err.Error())
		case got == false:
			faults = append(faults, "File "+c.Str(name)+" not found")
		default:
			paths = append(paths, PyStr(got))
		}
	}
	if len(faults) > 0 {
		info, err := output.Text("nested", faults, output.Options{})
		if err != nil {
			info = PyRepr(faults)
		}
		return nil, CommandErrorf("Failed to cache one or more files. Additional info follows:\n\n%s", strings.TrimRight(info, "\n"))
	}
	for _, p := range paths {
		body, err := readWhole(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, CommandErrorf("Failed to read %s: No such file or directory", p)
		case err != nil:
			return nil, CommandErrorf("Failed to read %s: %v", p, err)
		}
		bodies = append(bodies, body)
	}
	if bodies[0] == bodies[1] {
		return "", nil
	}
	if c.IsTrue("template") && isTrue(c.option("obfuscate_templates")) {
		return "<Obfuscated Template>", nil
	}
	if !c.IsTrue("show_changes") {
		return "<show_changes=False>", nil
	}
	if a, b := text.IsText([]byte(bodies[0])), text.IsText([]byte(bodies[1])); !a || !b {
		switch {
		case a:
			return "Replace text file with binary file", nil
		case b:
			return "Replace binary file with text file", nil
		}
		return "Replace binary file", nil
	}
	diff := text.Diff(bodies[0], bodies[1])
	if c.IsTrue("show_filenames") {
		diff = "--- " + paths[0] + "\n+++ " + paths[1] + "\n" + strings.TrimPrefix(diff, "--- \n+++ \n")
	}
	return diff, nil
}

func fileMakedirsPerms(_ context.Context, c *Call) (any, error) {
	path, err := c.filePath("name")
	if err != nil {
		return nil, err
	}
	if !absentPath(path) {
		return nil, osFault(&os.PathError{Op: "mkdir", Path: path, Err: syscall.EEXIST})
	}
	return nil, c.newFolders(filepath.Clean(path))
}
