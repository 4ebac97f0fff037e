package modules

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/text"
)

// option adds the criteria or actions of one option. It returns a message for an invalid
// one, else "".
func (f *finder) option(key, value string) (problem string) {
	switch key {
	case "name", "iname":
		glob := strings.NewReplacer(".", `\.`, "?", ".?", "*", ".*").Replace(value) + "$"
		return f.named(glob, key == "iname")
	case "regex", "iregex":
		return f.named(value, key == "iregex")
	case "type":
		return f.types(value)
	case "owner", "group":
		return f.owned(key, value)
	case "size":
		low, high, ok := sizeRange(value)
		if !ok {
			return fmt.Sprintf(`invalid size: "%s"`, value)
		}
		f.stat(func(st *posix.Stat) bool { return low <= st.Size && st.Size <= high })
	case "mtime":
		return f.modified(value)
	case "grep":
		re, err := text.Compile(value, int64(0))
		if err != nil {
			return fmt.Sprintf(`invalid regular expression: "%s"`, value)
		}
		f.criteria = append(f.criteria, criterion{2, func(ctx context.Context, file *foundFile) (bool, error) { return grepped(ctx, file, re) }})
	case "print":
		for _, w := range strings.Fields(strings.ReplaceAll(value, ",", " ")) {
			if !strings.Contains(" group md5 mode mtime name path size type user ", " "+w+" ") {
				return fmt.Sprintf(`invalid print option "%s"`, w)
			}
		}
		f.actions = append(f.actions, f.printing(value))
	case "delete":
		if strings.Contains(value, "a") {
			value = "bcdpfls"
		}
		f.actions = append(f.actions, f.deleting)
		return f.types(value)
	case "exec":
		words, err := pyfmt.SplitCommand(value)
		if err != nil || len(words) == 0 {
			return fmt.Sprintf(`invalid command "%s"`, value)
		}
		f.actions = append(f.actions, func(ctx context.Context, file *foundFile) (any, error) {
			return f.executing(ctx, value, words, file.path)
		})
	default:
		return fmt.Sprintf(`invalid option "%s"`, key)
	}
	return ""
}

func (f *finder) named(pattern string, fold bool) string {
	var flags int64
	if fold {
		flags = 2
	}
	re, err := text.Compile(`\A(?:`+pattern+")", flags)
	if err != nil {
		return fmt.Sprintf(`invalid regular expression: "%s"`, pattern)
	}
	f.criteria = append(f.criteria, criterion{0, func(_ context.Context, file *foundFile) (bool, error) {
		return re.Match(filepath.Base(file.path))
	}})
	return ""
}

func (f *finder) stat(match func(*posix.Stat) bool) {
	f.criteria = append(f.criteria, criterion{1, func(_ context.Context, file *foundFile) (bool, error) {
		st, err := file.look()
		return err == nil && match(st), err
	}})
}

var findTypes = map[string]byte{"block": 'b', "char": 'c', "dir": 'd', "file": 'f', "link": 'l', "pipe": 'p', "socket": 's'}

func (f *finder) types(value string) string {
	letters := strings.Join(strings.Fields(strings.ReplaceAll(value, ",", "")), "")
	for _, r := range letters {
		if !strings.ContainsRune("bcdflps", r) {
			return fmt.Sprintf(`invalid file type "%c"`, r)
		}
	}
	f.stat(func(st *posix.Stat) bool { return strings.IndexByte(letters, findTypes[kindOf(st.Mode)]) >= 0 })
	return ""
}

func (f *finder) owned(key, value string) string {
	lookup, what := uidOf, "user"
	if key == "group" {
		lookup, what = gidOf, "group"
	}
	ids := map[uint32]bool{}
	for _, name := range strings.Fields(strings.ReplaceAll(value, ",", " ")) {
		n, ok := idOf(name, lookup).(int64)
		if !ok {
			return fmt.Sprintf(`no such %s "%s"`, what, name)
		}
		ids[uint32(n)] = true
	}
	f.stat(func(st *posix.Stat) bool {
		if key == "group" {
			return ids[st.Gid]
		}
		return ids[st.Uid]
	})
	return ""
}

// sizeRange parses a size of find: the smallest and the largest, in bytes.
func sizeRange(value string) (low, high int64, ok bool) {
	digits := strings.TrimSpace(value)
	sign := byte('=')
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = digits[0], digits[1:]
	}
	unit := int64(1)
	if digits != "" {
		if at := strings.IndexByte("bkmgt", strings.ToLower(digits)[len(digits)-1]); at >= 0 {
			unit, digits = int64(1)<<(10*at), strings.TrimSpace(digits[:len(digits)-1])
		}
	}
	number, err := strconv.ParseFloat(digits, 64)
	if size := number * float64(unit); err == nil && math.Abs(size) < 1<<62 {
		low, ok = int64(size), true
	}
	switch sign {
	case '-':
		return 0, low, ok
	case '+':
		return low, math.MaxInt64, ok
	}
	return low, low + unit - 1, ok
}

var interval = regexp.MustCompile(`^\s*([+-]?)(?:(\d+(?:\.\d*)?)\s*[wW])?\s*(?:(\d+(?:\.\d*)?)\s*[dD])?\s*(?:(\d+(?:\.\d*)?)\s*[hH])?\s*(?:(\d+(?:\.\d*)?)\s*[mM])?\s*(?:(\d+(?:\.\d*)?)\s*[sS])?\s*$`)

func (f *finder) modified(value string) string {
	m := interval.FindStringSubmatch(value)
	if m == nil || strings.TrimSpace(strings.Join(m[2:], "")) == "" {
		return fmt.Sprintf("invalid time interval: '%s'", value)
	}
	total, unit := 0.0, 0.0
	for i, secs := range []float64{604800, 86400, 3600, 60, 1} {
		if m[i+2] == "" {
			continue
		}
		n, err := strconv.ParseFloat(m[i+2], 64)
		if err != nil || n > 1e9 {
			return fmt.Sprintf("invalid time interval: '%s'", value)
		}
		total, unit = total+n*secs, secs
	}
	at := float64(time.Now().UnixNano())/1e9 - math.Floor(total/unit)*unit
	newer := m[1] == "-"
	f.criteria = append(f.criteria, criterion{1, func(_ context.Context, file *foundFile) (bool, error) {
		if _, err := file.look(); err != nil {
			return false, err
		}
		_, mtime, _, err := foundTimes(file.path)
		if newer {
			return math.Floor(mtime) >= at, err
		}
		return math.Floor(mtime) <= at, err
	}})
	return ""
}

// foundTimes returns the times of a path's target, or of the path itself if the target does
// not exist.
func foundTimes(path string) (atime, mtime, ctime float64, err error) {
	if atime, mtime, ctime, err = times(path, true); err != nil {
		return times(path, false)
	}
	return atime, mtime, ctime, nil
}

func grepped(ctx context.Context, file *foundFile, re *text.Regex) (bool, error) {
	st, err := file.look()
	if err != nil || kindOf(st.Mode) != "file" {
		return false, err
	}
	f, _, err := openRegular(file.path, os.O_RDONLY)
	if err != nil {
		return false, nil //nolint:nilerr // an unreadable file has no match
	}
	defer f.Close()
	// A match that spans two pieces is found if it is no longer than their overlap.
	return windows(ctx, io.Reader(f), 64<<10, re.Match)
}

func (f *finder) printing(value string) findAction {
	words := strings.Fields(strings.ReplaceAll(value, ",", " "))
	return func(_ context.Context, file *foundFile) (any, error) {
		out := []any{}
		for _, w := range words {
			v, err := printed(file, w)
			if err != nil {
				return nil, nil //nolint:nilerr // gone meanwhile
			}
			out = append(out, v)
		}
		if len(out) == 1 {
			return out[0], nil
		}
		return out, nil
	}
}

func printed(file *foundFile, what string) (any, error) {
	switch what {
	case "path":
		return file.path, nil
	case "name":
		return filepath.Base(file.path), nil
	}
	st, err := file.look()
	if err != nil {
		return nil, err
	}
	switch what {
	case "size":
		return st.Size, nil
	case "type":
		return string(findTypes[kindOf(st.Mode)]), nil
	case "mode":
		return int64(st.Mode & 0o777), nil
	case "mtime":
		_, mtime, _, err := foundTimes(file.path)
		return int64(mtime), err
	case "user":
		return userName(st.Uid), nil
	case "group":
		return groupName(st.Gid), nil
	}
	if kindOf(st.Mode) != "file" {
		return "", nil
	}
	return sumOf(file.path, "md5")
}

// deleting removes a file of the types that delete names, and a folder with its content.
func (f *finder) deleting(_ context.Context, file *foundFile) (any, error) {
	if f.test {
		return file.path, nil
	}
	st, err := os.Lstat(file.path)
	if err != nil {
		return nil, nil //nolint:nilerr // gone meanwhile
	}
	if real, err := filepath.Abs(file.path); err != nil || isRoot(real) {
		return nil, InvocationErrorf("refusing to remove the root folder")
	}
	if st.IsDir() {
		err = os.RemoveAll(file.path)
	} else {
		err = os.Remove(file.path)
	}
	if err != nil {
		return nil, nil //nolint:nilerr // as in Salt, failures are not reported
	}
	return file.path, nil
}

// executing runs a command. The path is inserted into one argument, whatever characters it
// has.
func (f *finder) executing(ctx context.Context, line string, words []string, path string) (any, error) {
	argv := make([]string, len(words))
	for i, w := range words {
		argv[i] = strings.ReplaceAll(w, "{}", path)
	}
	shown := strings.ReplaceAll(line, "{}", path)
	if err := permitted(f.call, shown); err != nil {
		return nil, err
	}
	r, err := f.call.exec(ctx, argv...)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return path + ": Failed", nil //nolint:nilerr // Salt's result
	}
	out := r.stdout
	if out != "" {
		out += "\n" // as the program wrote it
	}
	return shown + ":\n" + out + "\n", nil
}
