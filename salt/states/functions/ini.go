package functions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/momtree/mom/salt/inifile"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	spec := func(more ...any) states.Spec {
		return states.Spec{Args: args(onlyName, append([]any{"sections", nil, "separator", "="}, more...)...)}
	}
	Register("ini",
		Function{Name: "options_present", Spec: spec("strict", false, "no_spaces", false), Run: iniOptionsPresent, Doc: `
Manages options of an ini file (name: its path).

sections
    A map of sections, each a map of options; an option above the first section
    is beside them.
separator : =
    The text between an option and its value.
strict : False
    Removes the other options of these sections, and the other sections.
no_spaces : False
    Writes no blanks around the separator in the whole file.
`},
		Function{Name: "options_absent", Spec: spec(), Run: iniOptionsAbsent, Doc: `
Removes options of an ini file.

sections
    A map of sections, each a list of options; an option above the first section
    is beside them, without a list.
separator : =
    The text between an option and its value.
`},
		Function{Name: "sections_present", Spec: spec(), Run: iniSectionsPresent, Doc: `
Adds sections to an ini file (sections: their names); new ones are empty.
`},
		Function{Name: "sections_absent", Spec: spec(), Run: iniSectionsAbsent, Doc: `
Removes sections of an ini file (sections: their names).
`},
	)
}

// iniFile is one ini file of a state.
type iniFile struct {
	*Call
	file *inifile.File
	res  *states.Result
}

// ini reads the file; a missing file is empty.
func (c *Call) ini() (*iniFile, error) {
	sep := pystr(c.Value("separator"))
	if sep == "" {
		return nil, errors.New("the separator of an ini file must not be empty")
	}
	text, err := readEdited(c.Name())
	if err != nil && exists(c.Name()) {
		return nil, fmt.Errorf("Unable to open file '%s'. Exception: %s", c.Name(), osError(err))
	}
	i := &iniFile{Call: c, file: inifile.Read(text, sep), res: good(c.Name(), "No anomaly detected")}
	i.file.NoSpaces = c.Truth("no_spaces")
	if c.Test {
		i.res.Comment = ""
	}
	return i, nil
}

// write writes the file. As in Salt, that normalizes it even if nothing changes.
func (i *iniFile) write() error {
	name, text := i.Name(), i.file.Text()
	if exists(name) {
		return i.rewrite(name, text, nil)
	}
	tmp, err := scratch([]byte(text))
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp) }()
	return i.put(tmp, name)
}

// end writes the file and ends the state.
func (i *iniFile) end(err error) (*states.Result, error) {
	if err == nil && !i.Test {
		err = i.write()
	}
	if err != nil {
		return nil, fmt.Errorf("Unable to write file '%s'. Exception: %s", i.Name(), osError(err))
	}
	return i.res, nil
}

// report adds a line to the comment of a test run; changed is true if the state would
// change something.
func (i *iniFile) report(changed bool, format string, a ...any) {
	i.res.Comment += fmt.Sprintf(format, a...) + ".\n"
	if changed {
		i.res.Result = nil
	}
}

func inSection(name string) string {
	if name == "" {
		return ""
	}
	return " in section " + name
}

func iniOptionsPresent(_ context.Context, c *Call) (*states.Result, error) {
	i, err := c.ini()
	if err != nil {
		return nil, err
	}
	wanted, _ := c.Value("sections").(*value.Map)
	if wanted == nil && c.Truth("sections") {
		return bad(c.Name(), "sections of ini.options_present is a map, not %s", pystr(c.Value("sections"))), nil
	}
	now := i.file.Values()
	i.look("", now, wanted)
	if c.Truth("strict") {
		i.removeSections(now, wanted)
	}
	wanted.Range(func(k, v any) bool {
		if body, isSection := v.(*value.Map); isSection {
			i.look(pystr(k), now.Map(pystr(k)), body)
		}
		return true
	})
	if c.Test {
		return i.res, nil
	}
	changes, err := i.file.Set(wanted)
	if err != nil {
		return nil, err
	}
	changes.Range(func(k, v any) bool {
		body, _ := v.(*value.Map)
		have := i.res.Changes.Map(pystr(k))
		if _, isSection := get(wanted, pystr(k)).(*value.Map); isSection && have != nil {
			body.Range(func(k, v any) bool {
				have.Set(k, v)
				return true
			})
			return true
		}
		i.res.Changes.Set(k, v)
		return true
	})
	if i.res.Changes.Len() > 0 {
		i.res.Comment = "Changes take effect"
	}
	return i.end(nil)
}

// removeSections removes unwanted sections.
func (i *iniFile) removeSections(have, wanted *value.Map) {
	have.Range(func(k, v any) bool {
		body, isSection := v.(*value.Map)
		if _, stays := get(wanted, pystr(k)).(*value.Map); !isSection || stays {
			return true
		}
		if i.Test {
			i.report(true, "Removed section %s", pystr(k))
			return true
		}
		i.file.RemoveSection(pystr(k))
		i.res.Changes.Set(k, value.NewMap("before", body, "after", nil))
		return true
	})
}

// look removes unwanted options of a section if the state is strict; "" is the part above
// the first section. A test run reports these and the wanted ones.
func (i *iniFile) look(section string, have, wanted *value.Map) {
	if section == "" {
		i.compare(section, have, wanted)
	}
	if i.Truth("strict") {
		i.removeOthers(section, have, wanted)
	}
	if section != "" {
		i.compare(section, have, wanted)
	}
}

func (i *iniFile) compare(section string, have, wanted *value.Map) {
	wanted.Range(func(k, v any) bool {
		name := pystr(k)
		is, there := have.Get(name)
		switch _, isSection := v.(*value.Map); {
		case !i.Test || isSection:
		case there && pystr(is) == pystr(v):
			i.report(false, "Unchanged key %s%s", name, inSection(section))
		default:
			i.report(true, "Changed key %s%s", name, inSection(section))
		}
		return true
	})
}

func (i *iniFile) removeOthers(section string, have, wanted *value.Map) {
	names := []string{}
	have.Range(func(k, v any) bool {
		if _, isSection := v.(*value.Map); !isSection && !wanted.Has(pystr(k)) {
			names = append(names, pystr(k))
		}
		return true
	})
	slices.Sort(names)
	word := "Removed"
	if section != "" {
		word = "Deleted"
	}
	for _, name := range names {
		if i.Test {
			i.report(true, "%s key %s%s", word, name, inSection(section))
			continue
		}
		v, _ := i.file.RemoveOption(section, name)
		to := i.res.Changes
		if section != "" {
			if to = i.res.Changes.Map(section); to == nil {
				to = value.NewMap()
				i.res.Changes.Set(section, to)
			}
		}
		to.Set(name, value.NewMap("before", v, "after", nil))
	}
}

func iniOptionsAbsent(_ context.Context, c *Call) (*states.Result, error) {
	i, err := c.ini()
	if err != nil {
		return nil, err
	}
	wanted, _ := c.Value("sections").(*value.Map)
	wanted.Range(func(k, v any) bool {
		section := pystr(k)
		keys, isList := v.([]any)
		if !isList {
			section, keys = "", []any{k}
		}
		for _, key := range keys {
			was, there := i.file.RemoveOption(section, pystr(key))
			switch {
			case c.Test && (!there || was == ""):
				i.report(false, "Key %s%s does not exist", pystr(key), inSection(section))
			case c.Test:
				i.report(true, "Deleted key %s%s", pystr(key), inSection(section))
			case there && was != "":
				i.res.Comment = "Changes take effect"
				if section == "" {
					i.res.Changes.Set(key, was)
					continue
				}
				if i.res.Changes.Map(section) == nil {
					i.res.Changes.Set(section, value.NewMap())
				}
				i.res.Changes.Map(section).Set(key, was)
			}
		}
		return true
	})
	return i.quiet()
}

// quiet ends a state. A test run without changes says so.
func (i *iniFile) quiet() (*states.Result, error) {
	if i.Test && i.res.Comment == "" {
		i.res.Comment = "No changes detected."
	}
	return i.end(nil)
}

func iniSectionsPresent(_ context.Context, c *Call) (*states.Result, error) {
	i, err := c.ini()
	if err != nil {
		return nil, err
	}
	now, wanted := i.file.Values(), value.NewMap()
	for _, name := range texts(c.Value("sections")) {
		wanted.Set(name, value.NewMap())
		switch {
		case !c.Test:
		case now.Has(name):
			i.report(false, "Section unchanged %s", name)
		default:
			i.report(true, "Created new section %s", name)
		}
	}
	if c.Test {
		return i.quiet()
	}
	if i.res.Changes, err = i.file.Set(wanted); err != nil {
		return nil, err
	}
	i.res.Comment = "Changes take effect"
	return i.end(nil)
}

func iniSectionsAbsent(_ context.Context, c *Call) (*states.Result, error) {
	i, err := c.ini()
	if err != nil {
		return nil, err
	}
	for _, name := range texts(c.Value("sections")) {
		was := i.file.RemoveSection(name)
		switch {
		case c.Test && was == nil:
			i.report(false, "Section %s does not exist", name)
		case c.Test:
			i.report(true, "Deleted section %s", name)
		case was.Len() > 0:
			i.res.Changes.Set(name, was)
			i.res.Comment = "Changes take effect"
		}
	}
	return i.quiet()
}
