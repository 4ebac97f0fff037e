package functions

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "serialize", Run: fileSerialize, Spec: states.Spec{VarKw: true, Args: args(onlyName, "dataset", nil, "dataset_pillar", nil,
			"user", nil, "group", nil, "mode", nil, "backup", "", "makedirs", false, "show_changes", true, "create", true,
			"merge_if_exists", false, "encoding", nil, "encoding_errors", "strict", "serializer", nil, "serializer_opts", nil,
			"deserializer_opts", nil)}, Doc: `
Manages a file with a serialized value.

dataset, dataset_pillar
    The value, or the pillar key that has it.
serializer (formatter) : yaml
    yaml, json, python or configparser.
serializer_opts
    A list of options: indent, sort_keys and ensure_ascii of json; allow_unicode of
    yaml.
merge_if_exists : False
    Merges the value over the yaml or json in the file.
user, group, mode, makedirs, backup, create, show_changes
    As in file.managed.

Other serializers, options, and encodings other than utf-8 are not supported.
`,
	})
}

// serialized is one run of file.serialize.
type serialized struct {
	managed
	form form
	old  *value.Map // content of the file before, for a merge
}

func fileSerialize(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	s := &serialized{managed: managed{Call: c, name: name, res: good(name, "")}}
	defer func() {
		for _, path := range s.scratch {
			_ = os.Remove(path)
		}
	}()
	if name == "" {
		return bad(name, "Must provide name to file.serialize"), nil
	}
	if why := s.refuse(); why != "" {
		return bad(name, "%s", strings.ReplaceAll(why, "file.managed", "file.serialize")), nil
	}
	if !c.Truth("create") && !isFile(name) {
		return good(name, fmt.Sprintf("File %s is not present and is not set for creation", name)), nil
	}
	dataset, msg := s.dataset()
	if msg != "" {
		return bad(name, "%s", msg), nil
	}
	var err error
	if s.owners.mode, err = modeOf(c.Value("mode")); err != nil {
		return bad(name, "%s", err.Error()), nil
	}
	s.owners.user, s.owners.group = c.Value("user"), c.Value("group")
	s.Args.Set("follow_symlinks", true)
	merged, done := s.merge(dataset)
	if done != nil {
		return done, nil
	}
	body, err := s.form.write(merged)
	if err != nil {
		return nil, err
	}
	body += "\n"
	s.contents, s.text = &body, true
	if c.Test {
		err = s.wouldBe(ctx)
	} else {
		err = s.put(ctx, name, s.res)
	}
	if err != nil {
		return nil, err
	}
	if now, ok := merged.(*value.Map); ok && s.old != nil {
		s.res.Changes.Set("diff", recursiveDiff(s.old, now))
	}
	return s.res, nil
}

// dataset returns the value and the form. msg says what is wrong with them, else "".
func (s *serialized) dataset() (v any, msg string) {
	formatter, _ := s.Kwargs.Get("formatter")
	if s.Truth("serializer") && pyfmt.Truth(formatter) {
		return nil, "Only one of serializer and formatter are allowed"
	}
	name := "yaml"
	if s.Truth("serializer") {
		formatter = s.Value("serializer")
	}
	if pyfmt.Truth(formatter) {
		name = strings.ToLower(pystr(formatter))
	}
	v = s.Value("dataset")
	if s.Truth("dataset") && s.Truth("dataset_pillar") {
		return nil, "Only one of 'dataset' and 'dataset_pillar' is permitted"
	}
	if s.Truth("dataset_pillar") {
		var ok bool
		if v, ok = modules.Traverse(s.Env.Pillar(), pystr(s.Value("dataset_pillar")), ":"); !ok {
			v = ""
		}
	}
	if v == nil {
		return nil, "Neither 'dataset' nor 'dataset_pillar' was defined"
	}
	form, ok := forms[name]
	if !ok {
		return nil, fmt.Sprintf("The %s serializer could not be found. It either does not exist or its prerequisites are not installed.", name)
	}
	s.form = form
	opts := value.NewMap()
	for _, e := range listArg(s.Value("serializer_opts")) {
		if m, ok := e.(*value.Map); ok {
			m.Range(func(k, v any) bool {
				opts.Set(pystr(k), v)
				return true
			})
		}
	}
	if s.form.unicode = pyfmt.Truth(s.Value("encoding")); s.form.name == "python" || s.form.name == "configparser" {
		s.form.unicode = true
	}
	if msg := s.form.options(opts); msg != "" {
		return nil, msg
	}
	if s.Truth("deserializer_opts") {
		if s.Truth("merge_if_exists") {
			return nil, "deserializer_opts of file.serialize are not supported by this minion: leave them out"
		}
		s.res.Warnings = append(s.res.Warnings, "The 'deserializer_opts' option is ignored unless merge_if_exists is set to True.")
	}
	return v, ""
}

// merge merges the value over the content of the file. A result ends the state.
func (s *serialized) merge(dataset any) (merged any, done *states.Result) {
	if !s.Truth("merge_if_exists") || !isFile(s.name) {
		return dataset, nil
	}
	if s.form.read == nil {
		return nil, bad(s.name, "merge_if_exists is not supported for the %s serializer", s.form.name)
	}
	text, err := readEdited(s.name)
	if err != nil {
		return nil, bad(s.name, "%s", osError(err))
	}
	have, err := s.form.read(text)
	if err != nil {
		return nil, s.fail("Failed to deserialize existing data: %s", err)
	}
	if have == nil {
		return dataset, nil
	}
	old, isMap := have.(*value.Map)
	over, overMap := dataset.(*value.Map)
	if !isMap || !overMap {
		return nil, s.fail("Cannot merge: the file %s and the dataset have to be maps", s.name)
	}
	now := mergeMaps(old, over)
	if states.Same(old, now) {
		return nil, good(s.name, fmt.Sprintf("The file %s is in the correct state", s.name))
	}
	s.old = old
	return now, nil
}

// wouldBe sets the result of a test run.
func (s *serialized) wouldBe(ctx context.Context) error {
	changes, err := s.meta(ctx)
	if err != nil {
		return err
	}
	s.res.Changes = changes
	if changes.Len() == 0 {
		s.res.Comment = fmt.Sprintf("The file %s is in the correct state", s.name)
		return nil
	}
	s.res.Result, s.res.Comment = nil, fmt.Sprintf("Dataset will be serialized and stored into %s", s.name)
	if !s.Truth("show_changes") {
		changes.Set("diff", "<show_changes=False>")
	}
	return nil
}

// mergeMaps merges a map over another one, recursively.
func mergeMaps(under, over *value.Map) *value.Map {
	out := under.Clone()
	over.Range(func(k, v any) bool {
		have, _ := out.GetKey(k)
		a, isMap := have.(*value.Map)
		b, overMap := v.(*value.Map)
		if isMap && overMap {
			v = mergeMaps(a, b)
		}
		out.Set(k, v)
		return true
	})
	return out
}

// recursiveDiff returns the differences of two maps: old and new by key.
func recursiveDiff(old, now *value.Map) *value.Map {
	out := value.NewMap()
	now.Range(func(k, v any) bool {
		was, there := old.GetKey(k)
		a, isMap := was.(*value.Map)
		b, nowMap := v.(*value.Map)
		switch {
		case !there:
			out.Set(k, value.NewMap("new", v, "old", "<_null_>"))
		case isMap && nowMap:
			if d := recursiveDiff(a, b); d.Len() > 0 {
				out.Set(k, d)
			}
		case !states.Same(was, v):
			out.Set(k, value.NewMap("new", v, "old", was))
		}
		return true
	})
	return out
}
