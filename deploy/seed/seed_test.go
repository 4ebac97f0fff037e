package seed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/internal/crypt"
)

// tree writes a configuration: "node/file" to text.
func tree(t *testing.T, files map[string]string) (configDir, dataDir string) {
	t.Helper()
	configDir, dataDir = t.TempDir(), t.TempDir()
	for name, text := range files {
		path := filepath.Join(configDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return configDir, dataDir
}

func threeTiers() map[string]string {
	return map[string]string{
		"top/master": "root_dir: /data\norder_masters: True\n",
		"eu/master":  "root_dir: /data\nsyndic_master: top\n",
		"eu/minion":  "root_dir: /data\nid: eu\n",
		"eu1/minion": "root_dir: /data\nid: eu1\nmaster: eu:4506\n",
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTree(t *testing.T) {
	configDir, data := tree(t, threeTiers())
	links, err := Tree(configDir, data)
	if err != nil {
		t.Fatal(err)
	}
	if len(links) != 2 {
		t.Fatalf("got %d links, want 2: %+v", len(links), links)
	}
	const master, minion = "etc/salt/pki/master", "etc/salt/pki/minion"
	same := [][2]string{
		{read(t, data, "top", master, "minions/eu"), read(t, data, "eu", minion, "minion.pub")},
		{read(t, data, "eu", minion, "syndic_master.pub"), read(t, data, "top", master, "master.pub")},
		{read(t, data, "eu", master, "minions/eu1"), read(t, data, "eu1", minion, "minion.pub")},
		{read(t, data, "eu1", minion, "minion_master.pub"), read(t, data, "eu", master, "master.pub")},
	}
	for i, s := range same {
		if s[0] != s[1] || s[0] == "" {
			t.Errorf("pair %d: the two sides hold different keys", i)
		}
	}
	if got, err := admitted.List(filepath.Join(data, "top", master)); err != nil || len(got) != 1 || !crypt.IsFinger(got["eu"]) {
		t.Errorf("admitted at the top are %v, %v; want the node eu", got, err)
	}
	if got, err := admitted.List(filepath.Join(data, "eu", master)); err != nil || len(got) != 0 {
		t.Errorf("admitted below are %v, %v; eu1 is a minion", got, err)
	}
	for _, l := range links {
		if !l.Changed || l.Fingerprint == l.MasterKey || len(l.Fingerprint) != 95 {
			t.Errorf("link %+v: want changed and two fingerprints", l)
		}
	}

	again, err := Tree(configDir, data)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range again {
		if l.Changed || l.Fingerprint != links[i].Fingerprint {
			t.Errorf("second run changed %+v into %+v", links[i], l)
		}
	}
}

func TestTree_ReplacesTheKeyOfARenewedMinion(t *testing.T) {
	configDir, data := tree(t, threeTiers())
	if _, err := Tree(configDir, data); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(data, "eu1")); err != nil {
		t.Fatal(err)
	}
	if _, err := Tree(configDir, data); err != nil {
		t.Fatal(err)
	}
	accepted := read(t, data, "eu/etc/salt/pki/master/minions/eu1")
	if accepted != read(t, data, "eu1/etc/salt/pki/minion/minion.pub") {
		t.Error("the master still accepts the key that is gone")
	}
}

func TestTree_LeavesARejectedKeyRejected(t *testing.T) {
	configDir, data := tree(t, threeTiers())
	dir := filepath.Join(data, "eu/etc/salt/pki/master/minions_rejected")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "eu1"), []byte("key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Tree(configDir, data); !errors.Is(err, ErrRejected) {
		t.Errorf("got %v, want ErrRejected", err)
	}
	if _, err := os.Stat(filepath.Join(data, "eu/etc/salt/pki/master/minions/eu1")); err == nil {
		t.Error("the rejected key was accepted")
	}
}

func TestTree_Faults(t *testing.T) {
	tests := []struct {
		name   string
		change map[string]string
		want   []string
	}{
		{"unknown master", map[string]string{"eu1/minion": "root_dir: /data\nid: eu1\nmaster: ue\n"}, []string{"node eu1", "ue", "eu, top"}},
		{"minion as master", map[string]string{"eu2/minion": "root_dir: /data\nid: eu2\nmaster: eu1\n"}, []string{"node eu2", "no master of this tree"}},
		{"same id twice", map[string]string{"eu2/minion": "root_dir: /data\nid: eu1\nmaster: eu\n"}, []string{"eu1 and eu2", "both have the id eu1"}},
		{"loop", map[string]string{
			"top/master": "root_dir: /data\nsyndic_master: eu\n", "top/minion": "root_dir: /data\nid: top\n",
		}, []string{"stands below itself", "eu below top below eu"}},
		{"pki_dir elsewhere", map[string]string{"eu1/minion": "id: eu1\nmaster: eu\nroot_dir: /data/x\npki_dir: ../../pki\n"}, []string{"node eu1", "outside root_dir"}},
		{"bad id", map[string]string{"eu1/minion": "root_dir: /data\nid: a/b\nmaster: eu\n"}, []string{"node eu1", "a/b"}},
		{"two masters", map[string]string{"eu1/minion": "root_dir: /data\nid: eu1\nmaster: [eu, top]\n"}, []string{"node eu1", "2 masters"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := threeTiers()
			for k, v := range tt.change {
				files[k] = v
			}
			configDir, data := tree(t, files)
			_, err := Tree(configDir, data)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error lacks %q: %v", w, err)
				}
			}
			left, _ := os.ReadDir(data)
			if len(left) != 0 {
				t.Errorf("a faulty tree got keys: %v", left)
			}
		})
	}
	if _, err := Tree(t.TempDir(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no folder") {
		t.Errorf("empty tree: got %v", err)
	}
}

func cluster() map[string]string {
	return map[string]string{
		"top-1/master": "root_dir: /data\nid: one\norder_masters: True\ncluster_peers: [top-2]\n",
		"top-2/master": "root_dir: /data\nid: two\norder_masters: True\ncluster_peers: ['top-1:4706']\n",
		"eu/master":    "root_dir: /data\nsyndic_master: [top-1, 'top-2:4506']\n",
		"eu/minion":    "root_dir: /data\nid: eu\n",
	}
}

// Tops of a cluster accept, admit and pin each other, and a node below both has the key of each.
func TestTree_Cluster(t *testing.T) {
	configDir, data := tree(t, cluster())
	links, err := Tree(configDir, data)
	if err != nil {
		t.Fatal(err)
	}
	if len(links) != 4 {
		t.Fatalf("got %d links, want 4: %+v", len(links), links)
	}
	const master, minion = "etc/salt/pki/master", "etc/salt/pki/minion"
	one, two := read(t, data, "top-1", master, "master.pub"), read(t, data, "top-2", master, "master.pub")
	eu := read(t, data, "eu", minion, "minion.pub")
	for i, s := range [][2]string{
		{read(t, data, "top-1", master, "minions/two"), two},
		{read(t, data, "top-2", master, "minions/one"), one},
		{read(t, data, "top-1", master, "cluster_top-2_4506.pub"), two},
		{read(t, data, "top-2", master, "cluster_top-1_4706.pub"), one},
		{read(t, data, "top-1", master, "minions/eu"), eu},
		{read(t, data, "top-2", master, "minions/eu"), eu},
		{read(t, data, "eu", minion, "syndic_master.top-1.pub"), one},
		{read(t, data, "eu", minion, "syndic_master.top-2.pub"), two},
	} {
		if s[0] != s[1] || s[0] == "" {
			t.Errorf("pair %d: the two sides hold different keys", i)
		}
	}
	for top, id := range map[string]string{"top-1": "two", "top-2": "one"} {
		pki := filepath.Join(data, top, master)
		if got, err := admitted.Tops.List(pki); err != nil || len(got) != 1 || !crypt.IsFinger(got[id]) {
			t.Errorf("%s admits the tops %v, %v", top, got, err)
		}
		if got, err := admitted.List(pki); err != nil || len(got) != 1 || got["eu"] == "" {
			t.Errorf("%s admits the nodes %v, %v", top, got, err)
		}
	}
	again, err := Tree(configDir, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range again {
		if l.Changed {
			t.Errorf("the second run changed %+v", l)
		}
	}
}

func TestTree_ClusterFaults(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, want string }{
		"no such top":    {"top-1/master", "root_dir: /data\nid: one\ncluster_peers: [top-3]\n", "top-3, which is not a master"},
		"no id":          {"top-1/master", "root_dir: /data\ncluster_peers: [top-2]\n", "needs the option id"},
		"one id twice":   {"top-1/master", "root_dir: /data\nid: two\ncluster_peers: [top-2]\n", "have the id two"},
		"not a top":      {"eu/master", "root_dir: /data\nsyndic_master: [top-1, top-2]\nid: eu\ncluster_peers: [top-1]\n", "only tops"},
		"loop in a pair": {"top-2/master", "root_dir: /data\nid: two\nsyndic_master: [top-1, eu]\n", "stands below itself"},
	} {
		files := cluster()
		files[tt.file] = tt.text
		files["top-2/minion"] = "root_dir: /data\nid: two\n"
		configDir, data := tree(t, files)
		if _, err := Tree(configDir, data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if left, _ := os.ReadDir(data); len(left) != 0 {
			t.Errorf("%s: a faulty tree got keys: %v", name, left)
		}
	}
}

func TestTree_LeavesARejectedTopRejected(t *testing.T) {
	configDir, data := tree(t, cluster())
	dir := filepath.Join(data, "top-2/etc/salt/pki/master/minions_rejected")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "one"), []byte("key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Tree(configDir, data); !errors.Is(err, ErrRejected) {
		t.Errorf("got %v, want ErrRejected", err)
	}
}
