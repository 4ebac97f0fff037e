package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const areaPython = "python"

// whoLoads describes what happens to a directory of Python files: Salt's minions still load what they
// ran, masters here do not.
var whoLoads = map[string]struct {
	level Level
	what  string
	do    string
}{
	"_modules":     {Differ, "execution modules", "Salt's minions still load them; for mom's write an external module (docs/guide/external-modules.md)"},
	"_states":      {Differ, "state modules", "Salt's minions still load them; mom's report them by name as missing"},
	"_grains":      {Differ, "grains", "Salt's minions still load them; for mom's set them in the file grains"},
	"_returners":   {Differ, "returners", "Salt's minions still load them"},
	"_renderers":   {Differ, "renderers", "Salt's minions still load them for states; pillar that needs one fails"},
	"_utils":       {Differ, "what modules share", "Salt's minions still load them"},
	"_output":      {Differ, "outputters", "commands of this program do not load them: use --out=json and a program of your own"},
	"_beacons":     {Differ, "beacons", "Salt's minions still load them"},
	"_engines":     {Differ, "engines", "Salt's minions still load them; those of a master do not run: read its events with the API"},
	"_proxy":       {Differ, "proxy modules", "Salt's proxy minions still load them"},
	"_matchers":    {Differ, "matchers", "Salt's minions still load them; a master here does not"},
	"_executors":   {Differ, "executors", "Salt's minions still load them"},
	"_serializers": {Differ, "serializers", "Salt's minions still load them"},
	"_runners":     {Fails, "runners", "call what they do from an orchestration or by the API, or keep them as programs beside the master"},
	"_wheel":       {Fails, "wheel modules", "keep them as programs beside the master"},
	"_pillar":      {Fails, "external pillars", "use cmd_yaml or http_json with a program that gives the same"},
	"_tops":        {Fails, "master tops", "use ext_nodes with a program that gives the same"},
	"_fileserver":  {Fails, "file server backends", "have a timer put the files into a folder of file_roots"},
	"_roster":      {Fails, "rosters", "this server has no salt-ssh"},
	"_auth":        {Fails, "login services", "use one of those that are here (docs/guide/logins.md)"},
	"_tokens":      {Fails, "stores of login tokens", "tokens are kept here as Salt's localfs keeps them"},
	"_cache":       {Fails, "cache drivers", "data of minions are kept here as Salt's localfs keeps them"},
	"_queues":      {Fails, "queues", "this server has no queues"},
	"_thorium":     {Fails, "thorium", "use reactors or schedules"},
	"_clouds":      {Fails, "salt-cloud drivers", "this server has no salt-cloud"},
}

// ofMaster lists the directories of extension_modules and of options that a master loads.
var ofMaster = map[string]string{
	"runners": "_runners", "wheel": "_wheel", "pillar": "_pillar", "tops": "_tops", "fileserver": "_fileserver", "roster": "_roster", "auth": "_auth",
	"tokens": "_tokens", "cache": "_cache", "queues": "_queues", "outputters": "_output", "engines": "_engines", "returners": "_returners",
	"renderers": "_renderers", "matchers": "_matchers", "thorium": "_thorium", "modules": "_modules", "states": "_states", "grains": "_grains", "utils": "_utils",
}

// lookPython lists the site's own Python files by directory.
func lookPython(p *patient) {
	for _, dir := range p.roots("file_roots") {
		for name := range whoLoads {
			p.python(filepath.Join(dir, name), name, false)
		}
	}
	if dir, ok := p.options["extension_modules"].(string); ok {
		for name, kind := range ofMaster {
			p.python(filepath.Join(dir, name), kind, true)
		}
	}
	for _, option := range []string{"module_dirs", "runner_dirs", "utils_dirs", "outputter_dirs"} {
		for _, dir := range texts(p.options[option]) {
			kind := "_" + map[string]string{"module_dirs": "modules", "runner_dirs": "runners", "utils_dirs": "utils", "outputter_dirs": "output"}[option]
			p.python(dir, kind, true)
			if option == "module_dirs" {
				for name, kind := range ofMaster {
					p.python(filepath.Join(dir, name), kind, true)
				}
			}
		}
	}
	slices.SortStableFunc(p.Findings, func(a, b Finding) int {
		if a.Area != areaPython || b.Area != areaPython {
			return 0
		}
		return strings.Compare(a.Where, b.Where)
	})
}

// python reports the Python files of a directory. inMaster says that a master loads them.
func (p *patient) python(dir, kind string, inMaster bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // no such directory
	}
	var names []string
	for _, e := range entries {
		name, py := strings.CutSuffix(e.Name(), ".py")
		if py && name != "__init__" || e.IsDir() && !strings.HasPrefix(e.Name(), "_") && hasInit(filepath.Join(dir, e.Name())) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	who := whoLoads[kind]
	level := who.level
	if inMaster && level == Differ {
		p.add(Finding{level, areaPython, dir, "Salt's master loaded these " + who.what + ", a master here does not: " + strings.Join(names, ", "), who.do})
		return
	}
	p.add(Finding{level, areaPython, dir, who.what + " in Python: " + strings.Join(names, ", "), who.do})
}

func hasInit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "__init__.py"))
	return err == nil
}
