package grains

import (
	"strings"

	"github.com/momtree/mom/value"
)

// machines detects virtual machines by a word in the firmware's names. The first match
// counts.
var machines = []struct{ grain, word, virtual, subtype string }{
	{"productname", "VirtualBox", "VirtualBox", ""},
	{"productname", "VMware", "VMware", ""},
	{"manufacturer", "VMware", "VMware", ""},
	{"productname", "RHEV Hypervisor", "kvm", "rhev"},
	{"productname", "oVirt Node", "kvm", "ovirt"},
	{"manufacturer", "oVirt", "kvm", "ovirt"},
	{"productname", "Google", "gce", ""},
	{"productname", "BHYVE", "bhyve", ""},
	{"biosvendor", "BHYVE", "bhyve", ""},
	{"productname", "AHV", "kvm", "Nutanix AHV"},
	{"manufacturer", "Amazon EC2", "Nitro", "Amazon EC2"},
	{"productname", "HVM domU", "xen", "Xen HVM DomU"},
	{"productname", "KVM", "kvm", ""},
	{"manufacturer", "QEMU", "kvm", ""},
	{"biosvendor", "SeaBIOS", "kvm", ""},
	{"manufacturer", "Bochs", "kvm", ""},
	{"manufacturer", "Parallels", "Parallels", ""},
}

// virtualization returns the kind of machine: physical, the hypervisor, or the container. g
// has the grains of the firmware and the processor.
func (c *collector) virtualization(g *value.Map) *value.Map {
	virtual, subtype := c.machine(g)
	if v, s := c.xen(g); v != "" {
		virtual, subtype = v, s
	}
	switch {
	case c.tree.exists("/proc/vz/version"):
		virtual = "openvzhn"
	case c.tree.exists("/proc/vz/veinfo"):
		virtual = "openvzve"
	}
	if kind := c.container(); kind != "" {
		virtual, subtype = "container", kind
	}
	out := value.NewMap("virtual", virtual)
	if subtype != "" {
		out.Set("virtual_subtype", subtype)
	}
	return out
}

func (c *collector) machine(g *value.Map) (virtual, subtype string) {
	for _, m := range machines {
		if strings.Contains(g.String(m.grain), m.word) {
			return m.virtual, m.subtype
		}
	}
	if strings.Contains(g.String("manufacturer"), "Microsoft") && strings.Contains(g.String("productname"), "Virtual Machine") {
		return "VirtualPC", ""
	}
	if strings.Contains(g.String("cpu_model"), "QEMU Virtual CPU") {
		return "kvm", ""
	}
	for _, flag := range g.List("cpu_flags") {
		if flag == "hypervisor" {
			return "vm-other", ""
		}
	}
	return "physical", ""
}

func (c *collector) xen(g *value.Map) (virtual, subtype string) {
	switch {
	case c.tree.exists("/proc/xen/xsd_kva"), strings.Contains(c.tree.text("/proc/xen/capabilities"), "control_d"):
		return "xen", "Xen Dom0"
	case g.String("productname") == "HVM domU":
		return "xen", "Xen HVM DomU"
	case c.tree.exists("/proc/xen/capabilities"), c.tree.exists("/sys/bus/xen/drivers/xenconsole"):
		return "xen", "Xen PV DomU"
	}
	return "", ""
}

// containerNames are the words by which container managers mark process 1.
var containerNames = []struct{ mark, subtype string }{
	{"lxc", "LXC"},
	{"docker", "Docker"},
	{"podman", "Podman"},
	{"systemd-nspawn", "systemd-nspawn"},
}

// container returns the manager of the container the minion runs in, "" outside of
// containers.
func (c *collector) container() string {
	cgroup := c.tree.text("/proc/1/cgroup")
	for _, m := range []struct{ part, subtype string }{
		{":/lxc/", "LXC"},
		{":/lxc.payload", "LXC"},
		{"/kubepods", "kubernetes"},
		{":/libpod_parent/", "libpod"},
		{":/docker/", "Docker"},
		{":/docker-ce/", "Docker"},
		{":/system.slice/docker", "Docker"},
	} {
		if strings.Contains(cgroup, m.part) {
			return m.subtype
		}
	}
	manager := c.tree.line("/run/systemd/container")
	for _, kv := range strings.Split(c.tree.text("/proc/1/environ"), "\x00") {
		if v, ok := strings.CutPrefix(kv, "container="); ok {
			manager = v
		}
	}
	for _, n := range containerNames {
		if manager == n.mark {
			return n.subtype
		}
	}
	switch {
	case c.tree.exists("/run/.containerenv"):
		return "Podman"
	case c.tree.exists("/.dockerenv"):
		return "Docker"
	}
	return ""
}
