package gitfstest

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// judge is a Salt runner that prints the answers of Salt's file server.
const judge = `
import salt.fileserver


def ask(extra, probes):
    fs = salt.fileserver.Fileserver(__opts__)
    fs.update()
    out = {"Envs": sorted(fs.envs()), "Of": {}}
    for env in sorted(set(out["Envs"]) | set(extra)):
        load = {"saltenv": env}
        e = {
            "Files": sorted(fs.file_list(load)),
            "Dirs": sorted(fs.dir_list(load)),
            "Empty": sorted(fs.file_list_emptydirs(load)),
            "Links": fs.symlink_list(load),
            "Hashes": {},
            "Modes": {},
        }
        for path in e["Files"] + probes:
            found = fs.find_file(path, env)
            if not found.get("path"):
                continue
            sum, stat = fs.file_hash_and_stat({"path": path, "saltenv": env})
            sum = sum["hsum"]
            e["Hashes"][path] = sum.decode() if isinstance(sum, bytes) else sum
            e["Modes"][path] = stat[0]
        out["Of"][env] = e
    return out
`

// Salt asks the Salt of a folder, whose bin/ holds salt-run, with GitPython.
func Salt(tb testing.TB, peer string, s *Site, c Case) Answer {
	tb.Helper()
	dir := tb.TempDir()
	text := "root_dir: " + dir + "\nfileserver_backend: [git]\ngitfs_provider: gitpython\nrunner_dirs: [" + dir + "/runners]\n" +
		"user: root\nlog_level: quiet\n" + s.Text(c.Options) + "\n"
	err := errors.Join(
		os.Mkdir(filepath.Join(dir, "runners"), 0o700),
		os.WriteFile(filepath.Join(dir, "runners", "gitjudge.py"), []byte(judge), 0o600),
		os.WriteFile(filepath.Join(dir, "master"), []byte(text), 0o600),
	)
	extra := []string{}
	for _, env := range c.Envs {
		extra = append(extra, s.Text(env))
	}
	envs, err1 := json.Marshal(extra)
	probes, err2 := json.Marshal(Probes)
	if err = errors.Join(err, err1, err2); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), filepath.Join(peer, "bin", "salt-run"), "-c", dir, "--out=json", "--no-color", "gitjudge.ask", string(envs), string(probes))
	out, err := cmd.Output()
	var a Answer
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	if err != nil || len(a.Envs)+len(a.Of) == 0 {
		var ee *exec.ExitError
		if errors.As(err, &ee) {
			out = append(out, ee.Stderr...)
		}
		tb.Fatalf("%s: salt-run: %v\n%s", c.Name, err, out)
	}
	return a.sorted()
}
