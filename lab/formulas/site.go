package formulas

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// most bounds the minions of a site.
const most = 12

// Sites finds the sites of a folder: each of its folders is one that has a pillar with a top
// file. Its minions are those that the top file names; of each the pillar is a call, and the
// states that its top files and its states give.
func Sites(dir string, only []string, apply bool) (out []Set, err error) {
	err = folders(dir, only, func(name, path string) error {
		s, err := site(name, path)
		if err != nil || s.Pillar == "" {
			return err
		}
		ids, err := minionsOf(s.Pillar)
		if err != nil {
			return err
		}
		for _, id := range ids {
			calls := []Call{{Fun: "pillar.items"}, {Fun: "state.show_top"}, {Fun: "state.show_highstate"}}
			if apply {
				calls = []Call{{Fun: "state.highstate", Args: []string{"test=True"}}}
			}
			for _, c := range calls {
				if c.ID = id; c.Args == nil {
					c.Args = []string{}
				}
				s.add(id+" "+c.Fun, c)
			}
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

// site finds the roots: the folders of the top files that are the least deep, one whose
// path speaks of pillar and one whose path does not.
func site(name, path string) (Set, error) {
	s := Set{Name: name, States: path}
	states := ""
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "top.sls" {
			return err
		}
		rel, err := filepath.Rel(path, filepath.Dir(file))
		if err != nil {
			return err
		}
		root := &states
		if strings.Contains(rel, "pillar") {
			root = &s.Pillar
		}
		if *root == "" || depth(filepath.Dir(file)) <= depth(*root) {
			*root = filepath.Dir(file)
		}
		return nil
	})
	if states != "" {
		s.States = states
	}
	return s, err
}

func depth(path string) int { return strings.Count(path, string(filepath.Separator)) }

// target is a line of a top file that names minions.
var target = regexp.MustCompile(`^\s+(?:'([^']+)'|"([^"]+)"|([^\s'"{}#]+)):\s*$`)

// word is what a pattern becomes when its stars are filled.
var word = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// minionsOf takes ids from the top file of a pillar, and from its folder id, if it has one.
func minionsOf(pillar string) ([]string, error) {
	b, err := os.ReadFile(filepath.Join(pillar, "top.sls"))
	if err != nil {
		return nil, fmt.Errorf("read the top file: %w", err)
	}
	ids := []string{"minion"}
	put := func(id string) {
		if word.MatchString(id) && !slices.Contains(ids, id) && len(ids) < most {
			ids = append(ids, id)
		}
	}
	files, err := os.ReadDir(filepath.Join(pillar, "id"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the minions of a pillar: %w", err)
	}
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".sls"); ok {
			put(strings.ReplaceAll(id, "_", "."))
		}
	}
	for _, line := range strings.Split(string(b), "\n") {
		if m := target.FindStringSubmatch(line); m != nil {
			put(strings.NewReplacer("*", "x", "?", "x", `\d+`, "1", `\d`, "1", "^", "", "$", "").Replace(m[1] + m[2] + m[3]))
		}
	}
	return ids, nil
}
