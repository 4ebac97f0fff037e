package cluster

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/deploy/seed"
	"github.com/momtree/mom/internal/config"
)

type service struct {
	Image       string
	Restart     string
	Command     []string
	Volumes     []string
	Networks    []string
	Environment map[string]string
	Healthcheck struct{ Test []string }
	DependsOn   map[string]map[string]string `yaml:"depends_on"`
}

func compose(t *testing.T) (text string, services map[string]service) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docker-compose.cluster.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]service }
	if err := yaml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return string(raw), file.Services
}

var (
	tops    = []string{"top-1", "top-2"}
	nodes   = []string{"n1", "n2", "n3"}
	minions = []string{"m1", "m2", "m3"}
	servers = []string{"db1", "db2", "db3"}
)

func all(groups ...[]string) (out []string) {
	for _, g := range groups {
		out = append(out, g...)
	}
	return out
}

// Each service that goes on is started again when it ends, has a health check and its own volume, and
// no service waits for one that may be lost.
func TestCompose_Services(t *testing.T) {
	_, services := compose(t)
	members := all(tops, nodes, minions, servers)
	if len(services) != len(members)+2 {
		t.Fatalf("%d services", len(services))
	}
	for _, name := range members {
		s := services[name]
		if s.Restart != "unless-stopped" || len(s.Healthcheck.Test) < 2 {
			t.Errorf("%s: restart %q, health check %q", name, s.Restart, s.Healthcheck.Test)
		}
		if !strings.Contains(strings.Join(s.Volumes, " "), name+":/") {
			t.Errorf("%s has no volume of its own: %q", name, s.Volumes)
		}
		if len(s.DependsOn) == 0 {
			t.Errorf("%s waits for no key and no password", name)
		}
		for other, d := range s.DependsOn {
			if (other != "keys" && other != "password") || d["condition"] != "service_completed_successfully" {
				t.Errorf("%s waits for %s: %v", name, other, d)
			}
		}
	}
	for _, name := range servers {
		if got := strings.Join(services[name].Command, " "); got != name+" db1 db2 db3" {
			t.Errorf("%s is started with %q", name, got)
		}
	}
	for _, name := range minions {
		if got := services[name].Networks; len(got) != 1 || got[0] != services["n1"].Networks[1] {
			t.Errorf("%s is in the networks %q: it cannot move to each node", name, got)
		}
	}
}

// The keys of the tree are seeded, those of the tops at each other too; tops use all servers of the
// database, in one order.
func TestCompose_Tree(t *testing.T) {
	dir := t.TempDir()
	links, err := seed.Tree(".", dir)
	if err != nil || len(links) != 6+3+2 {
		t.Fatalf("%d links, %v", len(links), err)
	}
	_, services := compose(t)
	for _, name := range all(tops, nodes, minions) {
		if !strings.Contains(strings.Join(services["keys"].Volumes, " "), name+":/data/"+name) {
			t.Errorf("the service keys does not see the volume of %s", name)
		}
	}
	for _, name := range tops {
		m, _, err := config.LoadMaster(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.ID != name || len(m.ClusterPeers) != 1 || m.Raw["mysql.host"] != strings.Join(servers, ",") {
			t.Errorf("%s: id %s, peers %q, database %v", name, m.ID, m.ClusterPeers, m.Raw["mysql.host"])
		}
	}
}

// No password stands in the file or in a file of a node.
func TestCompose_NoPassword(t *testing.T) {
	text, services := compose(t)
	paths, err := filepath.Glob("*/*")
	if err != nil || len(paths) != 2+6+3 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n" + string(raw)
	}
	for _, line := range regexp.MustCompile(`(?m)^[^#\n]*(?i:pass|password|secret|token)\w*: +["']?[^\s{%"'/]`).FindAllString(text, -1) {
		if !strings.Contains(line, "RANDOM_ROOT") {
			t.Errorf("%q", line)
		}
	}
	if got := services["db1"].Environment["MARIADB_PASSWORD_FILE"]; got != "/secret/password" {
		t.Errorf("the database reads its password from %q", got)
	}
}
