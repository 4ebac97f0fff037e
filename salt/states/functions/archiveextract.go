package functions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/archives"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// extract extracts the archive if needed, and sets the owners.
func (x *extracted) extract(ctx context.Context) (bool, error) {
	needed := x.Truth("overwrite")
	wrong, err := x.compare()
	if err != nil {
		return x.ends(false, "%s", osError(err))
	}
	if done, err := x.otherKinds(wrong); done || err != nil {
		return done, err
	}
	if x.missing || len(wrong) > 0 {
		needed = true
	}
	x.hashed = x.hashed && !needed
	needed = needed || x.hashed
	var files any
	if needed {
		var done bool
		if files, done, err = x.unpack(ctx); done || err != nil {
			return done, err
		}
	}
	missing, failed, err := x.enforceOwners(ctx)
	if err != nil {
		return false, err
	}
	x.report(needed, files)
	if len(missing) > 0 {
		if _, given := x.text("if_missing"); !given {
			x.r.Result = false
		}
		x.r.Comment += "\n\nWhile trying to enforce user/group ownership, the following paths were missing:\n\n- " + strings.Join(missing, "\n- ")
	}
	if len(failed) > 0 {
		x.r.Result = false
		x.r.Comment += "\n\nWhile trying to enforce user/group ownership, Salt was unable to change ownership on the following paths:\n\n- " + strings.Join(failed, "\n- ")
	}
	return true, x.forget(ctx)
}

// otherKinds handles existing paths of another type than in the archive.
func (x *extracted) otherKinds(wrong []string) (bool, error) {
	if len(wrong) == 0 {
		return false, nil
	}
	paths := "\n\n- " + strings.Join(wrong, "\n- ")
	text := fmt.Sprintf("The below paths (relative to %s) exist, but are the incorrect type (file instead of directory, symlink instead of file, etc.).", x.name)
	switch {
	case x.Test && x.Truth("clean"):
		return x.ends(nil, "%s Since the 'clean' option is enabled, the destination paths would be cleared and the archive would be extracted.%s", text, paths)
	case x.Test && x.Truth("clean_parent"):
		return x.ends(nil, "%s Since the 'clean_parent' option is enabled, the destination parent directory would be removed first "+
			"and then re-created and the archive would be extracted", text)
	case x.Truth("clean"):
		return false, nil
	case !x.Truth("force"):
		return x.ends(false, "%s To proceed with extraction, set 'force' to True. Note that this will remove these paths before extracting.%s", text, paths)
	case x.Test:
		return false, nil
	}
	return x.removed(wrong, "One or more paths existed by were the incorrect type (i.e. file instead of directory or vice-versa), but could not be removed.")
}

// explained returns the reason for the extraction.
func (x *extracted) explained() string {
	switch {
	case x.hashed:
		return ", due to source_hash update"
	case x.missing:
		return ", due to absence of one or more files/dirs"
	}
	return ""
}

// unpack extracts the archive and returns the names of the extracted files.
func (x *extracted) unpack(ctx context.Context) (files any, done bool, err error) {
	if x.local && x.sum != "" && !x.Truth("skip_verify") {
		same, err := x.Module(ctx, "file.check_hash", []any{x.source, x.sum}, nil)
		if err != nil {
			return nil, false, err
		}
		if same != true {
			done, err = x.ends(false, "%s does not match the desired source_hash %s", x.shown(), x.sum)
			return nil, done, err
		}
	}
	if x.Test {
		after := ""
		if x.Truth("clean") {
			after = ", after cleaning destination path(s)"
		}
		done, err = x.ends(nil, "Archive %s would be extracted to %s%s%s", x.shown(), x.name, after, x.explained())
		return nil, done, err
	}
	if x.Truth("clean_parent") {
		if _, err := os.Lstat(strings.TrimRight(x.name, "/")); err == nil {
			if err := os.RemoveAll(strings.TrimRight(x.name, "/")); err != nil {
				done, err = x.ends(false, "Unable to remove the directory %s. The following errors were observed:\n\n- %v", x.name, err)
				return nil, done, err
			}
			x.r.Changes.Set("removed", fmt.Sprintf("Directory %s was removed prior to the extraction", x.name))
		}
	}
	if x.Truth("clean") {
		done, err := x.removed(slices.Concat(x.contents.Strings("top_level_dirs"), x.contents.Strings("top_level_files")), "One or more paths could not be cleaned.")
		if done || err != nil {
			return nil, done, err
		}
	}
	if st, err := os.Stat(x.name); err != nil || !st.IsDir() {
		r, err := x.state(ctx, "file.directory", strings.TrimRight(x.name, "/"), "user", x.Value("user"), "makedirs", true)
		if err != nil {
			return nil, false, err
		}
		if r.Result == false {
			done, err = x.ends(false, "%s", r.Comment)
			return nil, done, err
		}
		x.made = true
	}
	return x.members(ctx)
}

// members extracts with the method for the format and the options.
func (x *extracted) members(ctx context.Context) (files any, done bool, err error) {
	var names []string
	switch {
	case x.unzip:
		kwargs := value.NewMap("options", x.options, "trim_output", x.Value("trim_output"), "password", x.Value("password"))
		files, err = x.Module(ctx, "archive.cmd_unzip", []any{x.cached, x.name}, kwargs)
		return files, false, err
	case x.format == "zip":
		kwargs := value.NewMap("trim_output", x.Value("trim_output"), "extract_perms", x.Value("extract_perms"))
		files, err = x.Module(ctx, "archive.unzip", []any{x.cached, x.name}, kwargs)
		return files, false, err
	case x.options == nil:
		names, err = archives.ExtractTar(ctx, x.cached, x.name)
		if err != nil {
			done, err = x.ends(false, "Failed to extract %s: %v", x.shown(), err)
			return nil, done, err
		}
	default:
		names, done, err = x.tar(ctx)
		if done || err != nil {
			return nil, done, err
		}
		if len(names) == 0 {
			return "no tar output so far", false, nil
		}
	}
	if x.trim > 0 {
		names = names[:min(x.trim, len(names))]
	}
	return texted(names), false, nil
}

// tar extracts with the program tar and its options.
func (x *extracted) tar(ctx context.Context) (names []string, done bool, err error) {
	words, err := pyfmt.SplitCommand(x.options.(string))
	if err != nil {
		done, err = x.ends(false, "options: %v", err)
		return nil, done, err
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "v" || w == "-v" || w == "--verbose" })
	short, long := "xv", []any{}
	for i, w := range words {
		if i == 0 && !strings.HasPrefix(w, "-") {
			short += strings.NewReplacer("x", "", "f", "").Replace(w)
			continue
		}
		long = append(long, w)
	}
	if system, _ := x.Env.Grains().Get("os"); system == "OpenBSD" {
		short = "-" + short
	}
	cmd := append(append([]any{"tar", short}, long...), "-f", x.cached)
	r, err := x.mapOfKw(ctx, "cmd.run_all", value.NewMap("cwd", x.name, "python_shell", false), cmd)
	if err != nil {
		return nil, false, err
	}
	if r.Int("retcode") != 0 {
		x.r.Result, x.r.Changes = false, r
		return nil, true, nil
	}
	out := r.String("stdout")
	if version, err := x.Module(ctx, "cmd.run", []any{[]any{"tar", "--version"}}, value.NewMap("python_shell", false)); err == nil && strings.Contains(pystr(version), "bsdtar") {
		out = r.String("stderr")
	}
	if out == "" {
		return nil, false, nil
	}
	return strings.Split(out, "\n"), false, nil
}

// report sets the result of a run that did not fail.
func (x *extracted) report(needed bool, files any) {
	list, isList := files.([]any)
	switch {
	case !needed:
		x.r.Result, x.r.Comment = true, "All files in archive are already present"
		if x.Test && x.r.Changes.Bool("updated ownership") {
			x.r.Result = nil
			x.r.Comment += ". Ownership would be updated on one or more files/directories."
		}
	case isList && len(list) == 0:
		x.r.Result, x.r.Comment = false, "No files were extracted from "+x.shown()
	default:
		if x.made {
			x.r.Changes.Set("directories_created", []any{x.name})
		}
		x.r.Changes.Set("extracted_files", files)
		x.r.Result = true
		x.r.Comment = fmt.Sprintf("%s extracted to %s%s", x.shown(), x.name, x.explained())
		if x.trim > 0 {
			x.r.Comment += fmt.Sprintf(". Output was trimmed to %d number of lines", x.trim)
		}
	}
}

// enforceOwners sets user and group of the archive's top-level paths.
func (x *extracted) enforceOwners(ctx context.Context) (missing, failed []string, err error) {
	var recurse []any
	ids := map[string]int{"user": -1, "group": -1}
	for _, who := range []struct{ arg, fun string }{{"user", "file.user_to_uid"}, {"group", "file.group_to_gid"}} {
		if _, given := x.text(who.arg); given {
			id, err := x.Module(ctx, who.fun, []any{x.Value(who.arg)}, nil)
			if err != nil {
				return nil, nil, err
			}
			recurse = append(recurse, who.arg)
			ids[who.arg] = int(value.NewMap("id", id).Int("id"))
		}
	}
	if recurse == nil {
		return nil, nil, nil
	}
	dirs := x.contents.Strings("top_level_dirs")
	files := slices.Concat(x.contents.Strings("top_level_files"), x.contents.Strings("top_level_links"))
	if only, given := x.text("enforce_ownership_on"); given {
		dirs, files = []string{only}, nil
		if st, err := os.Stat(only); err != nil || !st.IsDir() {
			dirs, files = nil, []string{only}
		}
	}
	for _, dir := range dirs {
		full := x.below(dir)
		if st, err := os.Stat(full); err != nil || !st.IsDir() {
			if !x.Test {
				missing = append(missing, full)
			}
			continue
		}
		r, err := x.state(ctx, "file.directory", strings.TrimRight(full, "/"), "user", x.Value("user"), "group", x.Value("group"), "recurse", recurse)
		if err != nil {
			return nil, nil, err
		}
		if r.Changes.Len() > 0 {
			x.r.Changes.Set("updated ownership", true)
		}
		if r.Result == false {
			failed = append(failed, full)
		}
	}
	for _, file := range files {
		full := x.below(file)
		st, err := os.Lstat(full)
		if err != nil {
			if !x.Test {
				if errors.Is(err, os.ErrNotExist) {
					missing = append(missing, full)
				}
				failed = append(failed, full)
			}
			continue
		}
		uid, gid, ok := posix.Owner(st)
		if !ok || (ids["user"] < 0 || ids["user"] == uid) && (ids["group"] < 0 || ids["group"] == gid) {
			continue
		}
		if !x.Test {
			if err := os.Lchown(full, ids["user"], ids["group"]); err != nil {
				failed = append(failed, file)
				continue
			}
		}
		x.r.Changes.Set("updated ownership", true)
	}
	return missing, failed, nil
}

// below returns the path of an archive member in the folder; an absolute path is returned
// unchanged.
func (x *extracted) below(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return x.name + path
}
