package render

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

const (
	bannerTitle = "THIS FILE IS MANAGED BY SALT - DO NOT EDIT"
	bannerText  = "The contents of this file are managed by Salt. Any changes to this file may be overwritten automatically and without warning."
)

func init() {
	pure["slsutil.boolstr"] = func(_ *job, _ *jinja.Run, a *jinja.Args) any {
		b := a.Bind("boolstr", 1, "value true false")
		if jinja.Truth(b.Any(0, nil)) {
			return b.Any(1, "true")
		}
		return b.Any(2, "false")
	}
	pure["slsutil.banner"] = banner
	pure["slsutil.renderer"] = slsutilRenderer
	pure["slsutil.file_exists"] = existing("file_exists", true, false)
	pure["slsutil.dir_exists"] = existing("dir_exists", false, true)
	pure["slsutil.path_exists"] = existing("path_exists", true, true)
	pure["slsutil.findup"] = findup
}

// banner returns a comment block.
func banner(_ *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("banner", 0, "width commentchar borderchar blockstart blockend title text newline")
	width, comment, border := b.Int(0, 72), b.Str(1, "#"), b.Str(2, "#")
	title, about := bannerTitle, bannerText
	if v := b.Any(5, nil); v != nil {
		title = text(r, v, "banner title")
	}
	if v := b.Any(6, nil); v != nil {
		about = text(r, v, "banner text")
	}
	left, right := strings.TrimRightFunc(comment, isPySpace), strings.TrimFunc(comment, isPySpace)
	size := func(s string) int { return utf8.RuneCountInString(s) }
	inner := width - size(left) - 1 - size(right) - 1
	if inner <= 0 {
		fail("Width is too small to render banner")
	}
	if width > 1<<16 {
		fail("the width of a banner is at most %d", 1<<16)
	}
	if _, n := utf8.DecodeRuneInString(border); n < len(border) {
		border = border[:n]
	}
	r.Charge(8*(width+len(comment))*(4+len(title)/inner+len(about)/inner) + 4*len(title) + 4*len(about))
	spacer := comment + strings.Repeat(" ", max(0, width-2*size(comment))) + comment
	edge := comment + strings.Repeat(border, max(0, width-size(left)-size(right))) + right
	var lines []string
	if v := b.Any(3, nil); v != nil {
		lines = append(lines, text(r, v, "banner blockstart"))
	}
	lines = append(lines, edge, spacer)
	for _, l := range wrapText(title, inner) {
		gap := inner - size(l)
		before := gap/2 + (gap & inner & 1)
		lines = append(lines, left+" "+strings.Repeat(" ", before)+l+strings.Repeat(" ", gap-before)+" "+right)
	}
	lines = append(lines, spacer)
	for _, l := range wrapText(about, inner) {
		lines = append(lines, left+" "+l+strings.Repeat(" ", inner-size(l))+" "+right)
	}
	lines = append(lines, edge)
	if v := b.Any(4, nil); v != nil {
		lines = append(lines, text(r, v, "banner blockend"))
	}
	out := strings.Join(lines, "\n")
	if b.Bool(7, false) {
		out += "\n"
	}
	return out
}

// wrapText breaks a text into lines of at most width characters, like Python's
// textwrap.wrap: at blanks, after hyphens inside words, and inside words that are too long.
func wrapText(s string, width int) (lines []string) {
	var line []rune
	flush := func() {
		if l := strings.TrimRight(string(line), " "); l != "" {
			lines = append(lines, l)
		}
		line = line[:0]
	}
	for _, chunk := range wrapChunks(s) {
		c := []rune(chunk)
		if chunk[0] == ' ' && len(line) == 0 && len(lines) > 0 {
			continue
		}
		if len(line)+len(c) > width && (len(line) > 0 || chunk[0] == ' ') {
			if len(c) > width && chunk[0] != ' ' && len(line) < width {
				n := width - len(line)
				line, c = append(line, c[:n]...), c[n:]
			}
			flush()
			if chunk[0] == ' ' {
				continue
			}
		}
		for len(c) > width {
			line, c = append(line, c[:width]...), c[width:]
			flush()
		}
		line = append(line, c...)
	}
	flush()
	return lines
}

// wrapChunks returns the unbreakable pieces of a text. White space becomes blanks.
func wrapChunks(s string) (out []string) {
	blank := strings.NewReplacer("\t", "        ", "\n", " ", "\v", " ", "\f", " ", "\r", " ")
	rest := blank.Replace(s)
	for rest != "" {
		n := len(rest) - len(strings.TrimLeft(rest, " "))
		if n > 0 {
			out, rest = append(out, rest[:n]), rest[n:]
			continue
		}
		word := rest
		if i := strings.IndexByte(rest, ' '); i >= 0 {
			word = rest[:i]
		}
		rest = rest[len(word):]
		start := 0
		for i := 2; i < len(word)-2; i++ {
			// A hyphen between two letters on either side.
			if word[i] == '-' && isLetter(word[i-1]) && isLetter(word[i-2]) && isLetter(word[i+1]) && isLetter(word[i+2]) && i-1 >= start {
				out, start = append(out, word[start:i+1]), i+1
			}
		}
		out = append(out, word[start:])
	}
	return out
}

func isLetter(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isPySpace(c rune) bool { return c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f }

// listed returns the files and folders of an environment.
func (j *job) listed(r *jinja.Run, saltenv string, files, folders bool) []string {
	tree, ok := j.engine.opts.Loader.(Tree)
	if !ok {
		refuse("slsutil: the files of an environment cannot be listed here")
	}
	var out []string
	for _, part := range []struct {
		wanted bool
		list   func(context.Context, string) ([]string, error)
	}{{files, tree.Files}, {folders, tree.Folders}} {
		if !part.wanted {
			continue
		}
		names, err := part.list(j.ctx, saltenv)
		if err != nil {
			jinja.Throw(err)
		}
		r.Room(len(names))
		out = append(out, names...)
	}
	return out
}

func existing(name string, files, folders bool) pureFunc {
	return func(j *job, r *jinja.Run, a *jinja.Args) any {
		b := a.Bind(name, 1, "path saltenv")
		p, _ := b.Any(0, nil).(string)
		return slices.Contains(j.listed(r, b.Str(1, "base"), files, folders), p)
	}
}

func findup(j *job, r *jinja.Run, a *jinja.Args) any {
	b := a.Bind("findup", 2, "startpath filenames saltenv")
	start := ""
	if v := b.Any(0, nil); v != nil && jinja.Truth(v) {
		start = path.Clean(text(r, v, "findup"))
	}
	all := j.listed(r, b.Str(2, "base"), true, true)
	there := make(map[string]bool, len(all))
	for _, p := range all {
		there[p] = true
	}
	if start != "" && !there[start] {
		refuse("Starting path not found in the state tree: %s", start)
	}
	var names []string
	switch v := b.Any(1, nil).(type) {
	case string:
		names = []string{v}
	case *jinja.List:
		for _, e := range v.Items {
			r.Walk(1)
			names = append(names, text(r, e, "findup"))
		}
	default:
		refuse("Filenames argument must be a string or list of strings")
	}
	for {
		for _, n := range names {
			r.Work(len(n) + len(start))
			if p := path.Join(start, n); there[p] {
				return p
			}
		}
		if start == "" {
			refuse("File pattern(s) not found in path ancestry")
		}
		if start = path.Dir(start); start == "." || start == "/" {
			start = ""
		}
	}
}

// slsutilRenderer renders a file or a text with a pipe.
func slsutilRenderer(j *job, r *jinja.Run, a *jinja.Args) any {
	vars := value.NewMap()
	known := jinja.NewArgs(a.Pos...)
	names := strings.Fields("path string default_renderer")
	for _, k := range a.Keywords().Keys() {
		name, _ := k.(string)
		v, _ := a.Keyword(name)
		if slices.Contains(names, name) {
			known.Set(name, v)
			continue
		}
		given, err := r.Give(v)
		if err != nil {
			jinja.Throw(err)
		}
		vars.Set(name, given)
	}
	b := known.Bind("renderer", 0, strings.Join(names, " "))
	from, source := b.Any(0, nil), b.Any(1, nil)
	switch hasPath, hasText := jinja.Truth(from), jinja.Truth(source); {
	case !hasPath && !hasText:
		refuse("Must pass either path or string")
	case hasPath && hasText:
		refuse("Must not pass both path and string")
	}
	t := Template{Saltenv: j.t.Saltenv, Vars: j.t.Vars, Functions: j.t.Functions, Context: vars}
	if env := vars.String("saltenv"); env != "" {
		t.Saltenv = env
	} else {
		t.Saltenv = "base"
	}
	t.SLS = vars.String("sls")
	if source != nil && jinja.Truth(source) {
		t.Source = []byte(text(r, source, "renderer"))
	} else {
		t.Source, t.Path = j.rendererSource(r, t.Saltenv, text(r, from, "renderer"))
	}
	ctx, end := r.Nested()
	defer end()
	r.Charge(len(t.Source))
	if strings.TrimSpace(string(t.Source)) == "" && source == nil {
		return jinja.NewDict()
	}
	out, err := j.engine.SLS(ctx, t, b.Str(2, DefaultPipe))
	if err != nil {
		jinja.Throw(err)
	}
	if s, ok := out.(string); ok && strings.Contains(string(t.Source), "\r\n") && !strings.Contains(s, "\r\n") {
		r.Charge(2 * len(s))
		out = strings.ReplaceAll(s, "\n", "\r\n")
	}
	return r.Take(out)
}

func (j *job) rendererSource(r *jinja.Run, saltenv, from string) ([]byte, string) {
	read := j.engine.opts.Read
	if read == nil {
		refuse("slsutil.renderer: files cannot be read by path here; give the text as string")
	}
	data, err := read(j.ctx, saltenv, from, j.engine.limits.Source)
	var refused *Refused
	switch {
	case errors.As(err, &refused):
		refuse("%s", refused.Text)
	case err != nil:
		jinja.Throw(err)
	}
	r.Charge(len(data))
	return data, from
}
