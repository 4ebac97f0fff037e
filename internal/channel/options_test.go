package channel

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
)

func TestSplitMaster(t *testing.T) {
	tests := []struct {
		in, host string
		port     int
		ok       bool
	}{
		{"salt", "salt", 4506, true},
		{" salt.example ", "salt.example", 4506, true},
		{"salt:4606", "salt", 4606, true},
		{"10.0.0.1", "10.0.0.1", 4506, true},
		{"fe80::1", "fe80::1", 4506, true},
		{"[fe80::1]", "fe80::1", 4506, true},
		{"[fe80::1]:4606", "fe80::1", 4606, true},
		{"", "", 0, false},
		{"salt:", "", 0, false},
		{"salt:x", "", 0, false},
		{"salt:70000", "", 0, false},
		{":4506", "", 0, false},
	}
	for _, tt := range tests {
		host, port, err := SplitMaster(tt.in, 4506)
		if (err == nil) != tt.ok || host != tt.host || port != tt.port {
			t.Errorf("%q: %q %d %v", tt.in, host, port, err)
		}
	}
}

func TestFromMinion(t *testing.T) {
	o := config.DefaultMinion()
	o.ID, o.PkiDir = "m1", t.TempDir()
	o.TcpKeepalive = false
	c, err := FromMinion(o, "syndic", "127.0.0.1:4606")
	if err != nil {
		t.Fatal(err)
	}
	c = c.withDefaults()
	if c.PinName != "syndic_master.pub" || c.FingerOption != "syndic_finger" || c.Port != 4606 {
		t.Errorf("%+v", c)
	}
	if c.AuthTimeout != 5*time.Second || c.AuthTries != 7 || c.RequestTimeout != time.Minute || c.RequestTries != 3 ||
		c.ReturnTimeout != 5*time.Second || c.ReturnTimeoutMax != 10*time.Second || c.ReturnTries != 3 {
		t.Errorf("times %+v", c)
	}
	if c.Dial.KeepAlive.Enable || c.Dial.KeepAlive.Idle != -1 {
		t.Errorf("keep-alive is off, but %+v", c.Dial.KeepAlive)
	}
	if err := c.validate(); err != nil {
		t.Error(err)
	}
}

func TestConfig_NamesEveryFault(t *testing.T) {
	_, err := New(Config{ID: "a/b", Role: "top", Port: 70000, EncryptionAlgorithm: "x", SigningAlgorithm: "y"})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, word := range []string{"id", "role", "pki_dir", "master", "master_port", "encryption_algorithm", "signing_algorithm"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s is not named in: %v", word, err)
		}
	}
}

func TestTopics(t *testing.T) {
	minion := &Channel{cfg: Config{ID: "m1", Role: "minion"}}
	syndic := &Channel{cfg: Config{ID: "s1", Role: "syndic"}}
	if got := minion.Topics(false); !slices.Equal(got, []string{""}) {
		t.Error(got)
	}
	if got := minion.Topics(true); !slices.Equal(got, []string{"broadcast", "ae23b94ccaf714337e4ce5ba99ef3dc257e300df"}) {
		t.Error(got)
	}
	if got := syndic.Topics(true); !slices.Equal(got, []string{"broadcast", "syndic"}) {
		t.Error(got)
	}
}

func TestPublishAddr(t *testing.T) {
	c := &Channel{cfg: Config{Host: "::1"}}
	for own, want := range map[int]string{0: "[::1]:4505", 4506: "[::1]:4505", 4605: "[::1]:4605"} {
		if got := c.PublishAddr(Result{PublishPort: 4505}, own); got != want {
			t.Errorf("%d: %s", own, got)
		}
	}
}
