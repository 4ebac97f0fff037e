package seed

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/momtree/mom/internal/config"
)

// service is what the tests read of a service of docker-compose.yml.
type service struct {
	Command     []string
	Entrypoint  []string
	Environment map[string]string
	Volumes     []string
	DependsOn   map[string]map[string]string `yaml:"depends_on"`
}

func composeFile(t *testing.T) (text string, services map[string]service) {
	t.Helper()
	text = read(t, "..", "..", "docker-compose.yml")
	var file struct {
		Services map[string]yaml.Node
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	services = map[string]service{}
	for _, name := range []string{"password", "mysql", "top"} {
		var s service
		node := file.Services[name]
		if err := node.Decode(&s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		services[name] = s
	}
	return text, services
}

// No password stands in docker-compose.yml or in a file of the nodes.
func TestCompose_NoPassword(t *testing.T) {
	text, services := composeFile(t)
	for name, value := range services["mysql"].Environment {
		if strings.HasSuffix(name, "PASSWORD") && name != "MARIADB_RANDOM_ROOT_PASSWORD" {
			t.Errorf("%s=%s is a password in the file", name, value)
		}
	}
	files := map[string]string{"docker-compose.yml": text}
	nodes, err := filepath.Glob("../compose/*/*")
	if err != nil || len(nodes) < 10 {
		t.Fatal(nodes, err)
	}
	for _, path := range nodes {
		files[path] = read(t, path)
	}
	given := regexp.MustCompile(`(?m)^[^#\n]*(?i:pass|password|secret|token)\w*: +["']?[^\s{%"'/]`)
	for path, text := range files {
		for _, line := range given.FindAllString(text, -1) {
			if !strings.Contains(line, "RANDOM_ROOT") {
				t.Errorf("%s: %q", path, line)
			}
		}
	}
}

// The service password makes one password, readable by root alone, that the database and top
// both get; it keeps the one that is there and mends what a kill left behind.
func TestCompose_PasswordMade(t *testing.T) {
	_, services := composeFile(t)
	s := services["password"]
	if len(s.Entrypoint) != 2 || s.Entrypoint[0] != "sh" || len(s.Command) != 1 {
		t.Fatalf("the service password runs %q %q", s.Entrypoint, s.Command)
	}
	dir := t.TempDir()
	for _, sub := range []string{"secret", "top"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret", ".password"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer("$$", "$", " /secret", " "+dir+"/secret", " /top", " "+dir+"/top").Replace(s.Command[0])
	password := ""
	for range 2 {
		if out, err := exec.CommandContext(t.Context(), s.Entrypoint[0], s.Entrypoint[1], script).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, script)
		}
		made := read(t, dir, "secret", "password")
		if !regexp.MustCompile(`^[0-9a-f]{48}$`).MatchString(made) || password != "" && made != password {
			t.Fatalf("the password is %q, before %q", made, password)
		}
		password = made
	}
	for _, path := range []string{"secret/password", "top/mysql.conf"} {
		if st, err := os.Stat(filepath.Join(dir, path)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, st, err)
		}
	}
	conf := strings.ReplaceAll(read(t, "..", "compose", "top", "master"), "/data/", dir+"/top/")
	if err := os.WriteFile(filepath.Join(dir, "master"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	m, _, err := config.LoadMaster(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Raw["mysql.pass"]; got != password {
		t.Errorf("top logs in with %v, want %s", got, password)
	}
	mysql := services["mysql"]
	if file := mysql.Environment["MARIADB_PASSWORD_FILE"]; file != "/secret/password" || !strings.Contains(strings.Join(mysql.Volumes, " "), "secret:/secret:ro") {
		t.Errorf("the database reads %q from %q", file, mysql.Volumes)
	}
	if got := mysql.DependsOn["password"]["condition"]; got != "service_completed_successfully" {
		t.Errorf("the database waits for the password: %q", got)
	}
}

// The tree that the repository brings gets its keys before the password is there.
func TestCompose_Tree(t *testing.T) {
	if links, err := Tree(filepath.Join("..", "compose"), t.TempDir()); err != nil || len(links) != 10 {
		t.Fatalf("%d links, %v", len(links), err)
	}
}
