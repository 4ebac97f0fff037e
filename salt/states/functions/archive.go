package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/archives"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("archive", Function{Name: "extracted", Run: archiveExtracted, Spec: states.Spec{Args: args([]string{"name", "source"},
		"source_hash", nil, "source_hash_name", nil, "source_hash_update", false, "skip_files_list_verify", false, "skip_verify", false,
		"password", nil, "options", nil, "list_options", nil, "force", false, "overwrite", false, "clean", false, "clean_parent", false,
		"user", nil, "group", nil, "if_missing", nil, "trim_output", false, "use_cmd_unzip", nil, "extract_perms", true,
		"enforce_toplevel", true, "enforce_ownership_on", nil, "archive_format", nil, "use_etag", false), VarKw: true}, Doc: `
Ensure that an archive is extracted to a folder. It is extracted when a path of the archive
is missing there.

name, source
    The folder, and the archive: a path, a salt:// or http address, or a list of them.
source_hash, source_hash_name, skip_verify, use_etag
    A source by http needs its hash (TYPE=HEX, or a file with hashes),
    skip_verify or use_etag.
source_hash_update : False
    Also extract when the hash of the archive has changed.
skip_files_list_verify : False
    Compare only the hash of the archive, not the paths.
archive_format
    tar or zip, if the name of the archive does not say so.
options, list_options
    Options of tar or unzip, and a command that decompresses a tar archive.
force, overwrite, clean, clean_parent
    Remove paths of another type; extract even if nothing is missing; first
    remove the archive's top-level paths, or the whole folder.
user, group, enforce_ownership_on
    The owner of the archive's top-level paths and their content, or of this
    path.
if_missing
    A path; if it exists, nothing is extracted.
enforce_toplevel : True
    Reject archives with more than one top-level folder.
trim_output : False
    The most extracted paths to list; True is 100.
use_cmd_unzip, extract_perms, password
    For zip archives: use the program unzip; set the modes in the archive; the
    password, with use_cmd_unzip.
keep_source : True
    Keep a fetched archive in the cache of the minion.

    /opt:
      archive.extracted:
        - source: https://example.org/app-1.0.tar.gz
        - source_hash: https://example.org/app-1.0.tar.gz.sha256
`})
}

// extracted is one run of archive.extracted.
type extracted struct {
	*Call
	r        *states.Result
	name     string // ends with a slash
	source   string
	local    bool
	format   string
	options  any
	cached   string
	unzip    bool // use the program unzip
	keep     bool
	sum      string
	trim     int // 0: list all
	contents *value.Map
	hashed   bool // the hash has changed
	missing  bool // some path is missing
	made     bool // the folder was created
}

func archiveExtracted(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	r.Result = false
	x := &extracted{Call: c, r: r, keep: true}
	for _, step := range []func(context.Context) (bool, error){x.checkPaths, x.chooseSource, x.checkOptions, x.get, x.list, x.extract} {
		done, err := step(ctx)
		if text, failed := work(err); failed {
			return says(r, false, "%s", text)
		}
		var wrong *sourceError
		if errors.As(err, &wrong) {
			return says(r, false, "%s", wrong.msg)
		}
		if done || err != nil {
			return r, err
		}
	}
	return r, nil
}

// ends sets the final result of the state.
func (x *extracted) ends(verdict any, format string, a ...any) (bool, error) {
	_, err := says(x.r, verdict, format, a...)
	return true, err
}

// text returns an argument as a string; given is false if it is not set.
func (x *extracted) text(name string) (text string, given bool) {
	v := x.Value(name)
	return x.Str(name), v != nil && v != "" && v != false
}

func (x *extracted) checkPaths(ctx context.Context) (bool, error) {
	if x.Truth("skip_files_list_verify") && x.Truth("skip_verify") {
		return x.ends(false, `Only one of "skip_files_list_verify" and "skip_verify" can be set to True`)
	}
	keep, given := x.Kwargs.Get("keep_source")
	if old, ok := x.Kwargs.Get("keep"); ok && given {
		x.r.Warnings = append(x.r.Warnings, "Both 'keep_source' and 'keep' were used. Since these both do the same thing, 'keep' was ignored.")
	} else if ok {
		keep, given = old, true
	}
	x.keep = !given || pyfmt.Truth(keep)
	name := expand(x.Name())
	if !filepath.IsAbs(name) {
		return x.ends(false, "%s is not an absolute path", x.Name())
	}
	name = strings.TrimRight(name, "/")
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return x.ends(false, "%s exists and is not a directory", name)
	}
	x.name = name + "/"
	for _, arg := range []string{"if_missing", "enforce_ownership_on"} {
		if path := x.Value(arg); path != nil && !filepath.IsAbs(expand(pystr(path))) {
			return x.ends(false, "Value for '%s' is not an absolute path", arg)
		}
	}
	if path := x.Value("enforce_ownership_on"); path != nil {
		if rel, err := filepath.Rel(x.name, pystr(path)); err != nil || strings.HasPrefix(rel, "../") {
			return x.ends(false, "Value for 'enforce_ownership_on' must be within %s", x.name)
		}
	}
	if path, given := x.text("if_missing"); given && exists(path) {
		return x.ends(true, "Path %s exists", path)
	}
	for _, who := range []struct{ arg, fun, kind string }{{"user", "file.user_to_uid", "User"}, {"group", "file.group_to_gid", "Group"}} {
		if name, given := x.text(who.arg); given {
			id, err := x.Module(ctx, who.fun, []any{x.Value(who.arg)}, nil)
			if err != nil || id == "" {
				return x.ends(false, "%s %s does not exist", who.kind, name)
			}
		}
	}
	if x.Truth("source_hash_update") && x.Str("source_hash") == "" {
		x.r.Warnings = append(x.r.Warnings, "The 'source_hash_update' argument is ignored when 'source_hash' is not also specified.")
	}
	return false, nil
}

func (x *extracted) chooseSource(ctx context.Context) (bool, error) {
	var err error
	if x.source, x.sum, err = x.choose(ctx, x.Value("source"), x.Str("source_hash")); err != nil {
		return false, err
	}
	if x.source == "" {
		return x.ends(false, "Invalid source \"%s\"", pystr(x.Value("source")))
	}
	base := x.source
	if scheme := schemeOf(x.source); scheme == "" || scheme == "file" {
		x.local = true
		base = expand(strings.TrimPrefix(x.source, "file://"))
		x.source = resolved(base)
		if st, err := os.Stat(x.source); err != nil || !st.Mode().IsRegular() {
			return x.ends(false, "Source file '%s' does not exist", x.source)
		}
	} else if path, _, query := strings.Cut(x.source, "?"); query {
		base = path
	}
	const formats = "tar, rar, zip"
	format, given := x.text("archive_format")
	if !given {
		if format = archives.Guess(base); format == "" {
			return x.ends(false, "Could not guess archive_format from the value of the 'source' argument. Please set this archive_format to one of the following: "+formats)
		}
	}
	x.format = strings.ToLower(format)
	if !slices.Contains(strings.Split(formats, ", "), x.format) {
		return x.ends(false, "Invalid archive_format '%s'. Either set it to a supported value (%s) or remove this argument and the archive format will be guessed based on file extension.",
			x.format, formats)
	}
	return false, nil
}

func (x *extracted) checkOptions(ctx context.Context) (bool, error) {
	if v := x.Value("options"); v != nil {
		x.options = pystr(v)
	}
	options, _ := x.options.(string)
	_, password := x.text("password")
	use, given := x.condition("use_cmd_unzip")
	x.unzip = use
	switch x.format {
	case "rar":
		return x.ends(false, "archive.unrar function not available, rar/unrar might not be installed on minion")
	case "tar":
		if password {
			return x.ends(false, "The 'password' argument is only supported for zip archives")
		}
	case "zip":
		if options != "" && given && !use {
			return x.ends(false, "'use_cmd_unzip' cannot be set to False if CLI options are being specified (via the 'options' argument). "+
				"Either remove 'use_cmd_unzip', or set it to True.")
		}
		x.unzip = use || options != ""
		if x.unzip && modules.Which("unzip") == "" {
			return x.ends(false, "archive.cmd_unzip function not available, unzip might not be installed on minion")
		}
		if password && x.unzip {
			x.r.Warnings = append(x.r.Warnings, "Using a password in combination with setting 'use_cmd_unzip' to True is considered insecure. "+
				"It is recommended to remove the 'use_cmd_unzip' argument (or set it to False) and allow Salt to extract the archive using Python's built-in ZIP file support.")
		} else if password {
			return x.ends(false, "This minion extracts encrypted zip archives with the program unzip only: set use_cmd_unzip to True")
		}
	}
	switch v := x.Value("trim_output").(type) {
	case nil:
	case bool:
		if v {
			x.trim = 100
		}
	default:
		n, err := strconv.Atoi(pystr(v))
		if err != nil || n < 0 {
			return x.ends(false, "Invalid value for trim_output, must be True/False or an integer")
		}
		x.trim = n
	}
	return false, nil
}

var stripped = regexp.MustCompile(`--strip(?:-components)?(?:\s+|=)["']?(\d+)["']?`)

// list lists the archive and rejects unsafe contents.
func (x *extracted) list(ctx context.Context) (bool, error) {
	if x.format == "zip" && x.Str("password") == "" {
		if is, err := archives.Encrypted(x.cached); err == nil && is {
			return x.ends(false, "Archive %s is password-protected, but no password was specified. Please set the 'password' argument.", x.shown())
		}
	}
	kwargs := value.NewMap("archive_format", x.format, "options", x.Value("list_options"), "verbose", true)
	if m := stripped.FindStringSubmatch(pystr(x.options)); m != nil && x.format == "tar" && m[1] != "0" {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return x.ends(false, "options: %v", err)
		}
		kwargs.Set("strip_components", n)
	}
	v, err := x.Module(ctx, "archive.list", []any{x.cached}, kwargs)
	if err != nil {
		return x.cannotList(err)
	}
	x.contents = v.(*value.Map)
	if x.Truth("enforce_toplevel") && (len(x.contents.List("top_level_dirs")) > 1 || len(x.contents.List("top_level_files")) > 0) {
		return x.ends(false, "Archive does not have a single top-level directory. To allow this archive to be extracted, set 'enforce_toplevel' to False. "+
			"To avoid a '%s-bomb' it may also be advisable to set a top-level directory by adding it to the 'name' value (for example, setting 'name' to %s instead of %s).",
			x.format, filepath.Join(x.name, "some_dir"), x.name)
	}
	if x.Truth("clean") && x.Truth("clean_parent") {
		return x.ends(false, "Only one of 'clean' and 'clean_parent' can be set to True")
	}
	return false, nil
}

func (x *extracted) cannotList(err error) (bool, error) {
	text, ok := work(err)
	if !ok {
		return true, err
	}
	var advice []string
	if _, given := x.text("if_missing"); !given {
		advice = append(advice, "'if_missing' must be set")
	}
	if x.Str("enforce_ownership_on") == "" && (x.Str("user") != "" || x.Str("group") != "") {
		advice = append(advice, "Ownership cannot be managed without setting 'enforce_ownership_on'.")
	}
	if len(advice) > 0 {
		text += "\n\n"
		if x.format == "tar" {
			text += "If the source archive is a tar archive compressed using a compression type not natively supported by the tar command, " +
				"then setting the 'list_options' argument may allow the contents to be listed. Otherwise, if Salt is unable to determine the " +
				"files/directories in the archive, the following workaround(s) would need to be used for this state to proceed"
		} else {
			text += "The following workarounds must be used for this state to proceed"
		}
		text += fmt.Sprintf(" (assuming the source file is a valid %s archive):\n", x.format)
		for _, a := range advice {
			text += "\n- " + a
		}
	}
	return x.ends(false, "%s", text)
}

// shown returns the source without its password.
func (x *extracted) shown() string { return fileclient.Redact(x.source) }

// kinds maps the lists of the contents to the file types of their paths.
var kinds = []struct {
	list string
	fits func(fs.FileMode) bool
}{
	{"dirs", fs.FileMode.IsDir},
	{"files", func(m fs.FileMode) bool { return !m.IsDir() && m&fs.ModeSymlink == 0 }},
	{"links", func(m fs.FileMode) bool { return m&fs.ModeSymlink != 0 }},
}

// compare checks which paths of the archive exist. It returns those of another type.
func (x *extracted) compare() (wrong []string, err error) {
	for _, kind := range kinds {
		for _, path := range x.contents.Strings(kind.list) {
			st, err := os.Lstat(strings.TrimRight(filepath.Join(x.name, path), "/"))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				x.missing = true
			case err != nil && !strings.Contains(err.Error(), "not a directory"):
				return nil, err
			case err == nil && !kind.fits(st.Mode()):
				wrong = append(wrong, path)
			}
		}
	}
	return wrong, nil
}
