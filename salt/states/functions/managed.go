package functions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "managed", Run: fileManaged,
		Spec: states.Spec{
			VarKw: true, OwnCheckCmd: true,
			Args: args(onlyName,
				"source", nil, "source_hash", "", "source_hash_name", nil, "keep_source", true, "user", nil, "group", nil, "mode", nil,
				"attrs", nil, "template", nil, "makedirs", false, "dir_mode", nil, "context", nil, "replace", true, "defaults", nil,
				"backup", "", "show_changes", true, "create", true, "contents", nil, "tmp_dir", "", "tmp_ext", "",
				"contents_pillar", nil, "contents_grains", nil, "contents_newline", true, "contents_delimiter", ":",
				"encoding", nil, "encoding_errors", "strict", "allow_empty", true, "follow_symlinks", true, "check_cmd", nil,
				"skip_verify", false, "selinux", nil, "verify_ssl", true, "use_etag", false),
		}, Doc: `
Manages a file.

source, source_hash, source_hash_name, skip_verify, keep_source, verify_ssl, use_etag
    The source: a salt:// or http address or a path of this host, or a list of
    which the first existing one is used. A source by http needs its hash
    (TYPE=HEX, or a file with hashes), or skip_verify.
contents, contents_pillar, contents_grains, contents_newline, contents_delimiter,
allow_empty
    Or the content: a text or a list of lines, here or in the pillar or a grain.
template, context, defaults
    Renders it with jinja.
user, group, mode, follow_symlinks
    Owner and mode. The mode keep is that of the source.
makedirs, dir_mode
    Creates its parent folders.
replace, create
    Whether an existing file is changed, and a missing one created.
backup, show_changes
    Backs up the old file (minion); hides the difference.
check_cmd, tmp_dir, tmp_ext
    A command that checks the new file, given as its last word, before it is put
    in place.

attrs, selinux and encodings other than utf-8 are not supported.
`,
	})
}

// managed is one run of file.managed.
type managed struct {
	*Call
	name     string
	res      *states.Result
	owners   owners
	keepMode bool
	contents *string // nil if not set
	said     bool    // contents, a pillar or a grain is set, even if empty
	text     bool    // contents are text, not bytes

	source, hash string // the chosen source
	got          source
	scratch      []string // temporary files
}

func (m *managed) fail(format string, a ...any) *states.Result {
	m.res.Result, m.res.Comment = false, format
	if len(a) > 0 {
		m.res.Comment = fmt.Sprintf(format, a...)
	}
	return m.res
}

// refuse returns a message for unsupported options, else "".
func (m *managed) refuse() string {
	for _, name := range []string{"attrs", "selinux"} {
		if m.Truth(name) {
			return fmt.Sprintf("The option %s of file.managed is not supported by this minion: leave it out", name)
		}
	}
	switch e := strings.ToLower(pystr(m.Value("encoding"))); e {
	case "none", "", "utf-8", "utf8", "utf_8":
	default:
		return fmt.Sprintf("The encoding %s of file.managed is not supported by this minion: it writes utf-8", e)
	}
	return ""
}

func fileManaged(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	m := &managed{Call: c, name: name, res: good(name, "")}
	defer func() {
		for _, path := range m.scratch {
			_ = os.Remove(path)
		}
	}()
	if name == "" {
		return m.fail("Destination file name is required"), nil
	}
	if why := m.refuse(); why != "" {
		return m.fail("%s", why), nil
	}
	mode := c.Value("mode")
	if s, ok := mode.(string); ok && strings.EqualFold(s, "keep") {
		m.keepMode, mode = true, nil
	}
	var err error
	if m.owners.mode, err = modeOf(mode); err != nil {
		return m.fail("%s", err.Error()), nil
	}
	if res, err := m.readContents(ctx); res != nil || err != nil {
		return res, err
	}
	m.owners.user, m.owners.group = c.Value("user"), c.Value("group")
	if !given(m.owners.user) {
		if v, ok := c.Kwargs.Get("owner"); ok {
			m.owners.user = v
		}
	}
	if !c.Truth("create") && !isFile(name) {
		m.res.Comment = fmt.Sprintf("File %s is not present and is not set for creation", name)
		return m.res, nil
	}
	if why := c.checkUser(m.owners.user, m.owners.group); why != "" {
		return m.fail("%s", why), nil
	}
	switch {
	case !filepath.IsAbs(name):
		return m.fail("Specified file %s is not an absolute path", name), nil
	case isDir(name):
		return m.fail("Specified target %s is a directory", name), nil
	}
	for arg, text := range map[string]string{"context": "Context", "defaults": "Defaults"} {
		if _, ok := c.Value(arg).(*value.Map); !ok && (c.Truth(arg) || arg == "context" && c.Value(arg) != nil) {
			return m.fail("%s must be formed as a dict", text), nil
		}
	}
	replace := c.Truth("replace") && (m.said || c.Truth("source"))
	if !replace && exists(name) {
		return m.only()
	}
	m.accumulated()
	if c.Test {
		return m.test(ctx)
	}
	if res, err := m.get(ctx); res != nil || err != nil {
		return res, err
	}
	if c.Truth("check_cmd") {
		if res, err := m.checked(ctx); res != nil || err != nil {
			return res, err
		}
	}
	if err := m.put(ctx, m.name, m.res); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.res.Changes = value.NewMap()
		return m.fail("Unable to manage file: %s", osError(err)), nil
	}
	m.forget()
	return m.res, nil
}

// only sets owner and mode of a file without changing its content.
func (m *managed) only() (*states.Result, error) {
	before, err := infoOf(m.name, m.Truth("follow_symlinks"))
	if err != nil {
		return nil, err
	}
	if err := m.checkPerms(m.name, m.res, m.owners, m.Truth("follow_symlinks")); err != nil {
		return nil, err
	}
	switch {
	case m.Test && m.owners.mode != "" && m.owners.mode != before.mode:
		m.res.Comment = fmt.Sprintf("File %s will be updated with permissions %s from its current state of %s", m.name, m.owners.mode, before.mode)
	case m.Test:
		m.res.Comment = fmt.Sprintf("File %s not updated", m.name)
	case m.res.Changes.Len() == 0 && m.res.Result == true:
		m.res.Comment = fmt.Sprintf("File %s exists with proper permissions. No changes made.", m.name)
	}
	return m.res, nil
}

// forget removes the source from the cache (keep_source: False).
func (m *managed) forget() {
	if m.Truth("keep_source") || m.got.cached == "" {
		return
	}
	_ = os.Remove(m.got.cached)
}
