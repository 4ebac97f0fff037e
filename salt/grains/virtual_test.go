package grains

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestVirtualization(t *testing.T) {
	tests := []struct {
		name             string
		files            map[string]string
		grains           *wire.Map
		virtual, subtype string
	}{
		{"bare metal", nil, wire.NewMap("manufacturer", "Dell Inc."), "physical", ""},
		{"vmware", nil, wire.NewMap("productname", "VMware Virtual Platform"), "VMware", ""},
		{"hyper-v", nil, wire.NewMap("manufacturer", "Microsoft Corporation", "productname", "Virtual Machine"), "VirtualPC", ""},
		{"ec2 nitro", nil, wire.NewMap("manufacturer", "Amazon EC2", "productname", "m5.large"), "Nitro", "Amazon EC2"},
		{"unknown hypervisor", nil, wire.NewMap("cpu_flags", []any{"sse", "hypervisor"}), "vm-other", ""},
		{"xen dom0", map[string]string{"proc/xen/capabilities": "control_d\n"}, wire.NewMap(), "xen", "Xen Dom0"},
		{"xen pv", map[string]string{"proc/xen/capabilities": ""}, wire.NewMap(), "xen", "Xen PV DomU"},
		{"openvz", map[string]string{"proc/vz/veinfo": ""}, wire.NewMap(), "openvzve", ""},
		{"kubernetes", map[string]string{"proc/1/cgroup": "0::/kubepods/burstable/pod1\n"}, wire.NewMap(), "container", "kubernetes"},
		{"podman", map[string]string{"run/.containerenv": ""}, wire.NewMap("manufacturer", "QEMU"), "container", "Podman"},
		{"docker with private cgroups", map[string]string{"proc/1/cgroup": "0::/\n", ".dockerenv": ""}, wire.NewMap(), "container", "Docker"},
		{"nspawn", map[string]string{"run/systemd/container": "systemd-nspawn\n"}, wire.NewMap(), "container", "systemd-nspawn"},
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
