package grains

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/value"
)

func TestVirtualization(t *testing.T) {
	tests := []struct {
		name             string
		files            map[string]string
		grains           *value.Map
		virtual, subtype string
	}{
		{"bare metal", nil, value.NewMap("manufacturer", "Dell Inc."), "physical", ""},
		{"vmware", nil, value.NewMap("productname", "VMware Virtual Platform"), "VMware", ""},
		{"hyper-v", nil, value.NewMap("manufacturer", "Microsoft Corporation", "productname", "Virtual Machine"), "VirtualPC", ""},
		{"ec2 nitro", nil, value.NewMap("manufacturer", "Amazon EC2", "productname", "m5.large"), "Nitro", "Amazon EC2"},
		{"unknown hypervisor", nil, value.NewMap("cpu_flags", []any{"sse", "hypervisor"}), "vm-other", ""},
		{"xen dom0", map[string]string{"proc/xen/capabilities": "control_d\n"}, value.NewMap(), "xen", "Xen Dom0"},
		{"xen pv", map[string]string{"proc/xen/capabilities": ""}, value.NewMap(), "xen", "Xen PV DomU"},
		{"openvz", map[string]string{"proc/vz/veinfo": ""}, value.NewMap(), "openvzve", ""},
		{"kubernetes", map[string]string{"proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, value.NewMap(), "container", "kubernetes"},
		{"podman", map[string]string{"run/.containerenv": ""}, value.NewMap("manufacturer", "QEMU"), "container", "Podman"},
		{"docker with private cgroups", map[string]string{"proc/1/cgroup": "0::/\n", ".dockerenv": ""}, value.NewMap(), "container", "Docker"},
		{"nspawn", map[string]string{"run/systemd/container": "systemd-nspawn\n"}, value.NewMap(), "container", "systemd-nspawn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range tt.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c := &collector{tree: tree(root)}
			got := c.virtualization(tt.grains)
			if got.String("virtual") != tt.virtual || got.String("virtual_subtype") != tt.subtype {
				t.Errorf("virtual = %q, %q; want %q, %q",
					got.String("virtual"), got.String("virtual_subtype"), tt.virtual, tt.subtype)
			}
		})
	}
}
