package grains

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/shirou/gopsutil/v4/mem"
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// hostsFile is the file of names and addresses.
var hostsFile = filepath.Join(cmp.Or(os.Getenv("SystemRoot"), `C:\Windows`), `System32\drivers\etc\hosts`)

// sections returns what collects the grains; a later one overrides an earlier one.
func (c *collector) sections() []func() *value.Map {
	return []func() *value.Map{
		c.kernel, c.windows, c.registryFirmware, c.registryProcessors, c.physicalMemory, c.domain,
		c.network, c.windowsProcess, c.locale, c.identity, c.python,
	}
}

// registryText returns a text of the registry below HKEY_LOCAL_MACHINE, "" if it does not exist.
func registryText(key, name string) string {
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, key, registry.QUERY_VALUE)
	if err != nil {
		return ""
	}
	defer k.Close()
	text, _, err := k.GetStringValue(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// windows returns the edition and the version of Windows.
func (c *collector) windows() *value.Map {
	v := windows.RtlGetVersion()
	const workstation, firstOf11 = 1, 22000
	name := registryText(`SOFTWARE\Microsoft\Windows NT\CurrentVersion`, "ProductName")
	if v.ProductType == workstation && v.BuildNumber >= firstOf11 {
		name = strings.Replace(name, "Windows 10", "Windows 11", 1) // what the registry still says
	}
	full := "Microsoft " + cmp.Or(strings.TrimPrefix(name, "Microsoft "), "Windows "+c.uname.release)
	g := windowsRelease(full, c.uname.release)
	lay(g, value.NewMap(
		"os", "Windows", "os_family", "Windows", "osfullname", full, "osmanufacturer", "Microsoft Corporation",
		"osversion", c.uname.version, "kernelrelease", c.uname.version, "init", "Windows", "ps", "tasklist.exe",
		"osarch", c.uname.machine, "osservicepack", nil,
	))
	if pack := windows.UTF16ToString(v.CsdVersion[:]); pack != "" {
		g.Set("osservicepack", strings.Replace(pack, "Service Pack ", "SP", 1))
	}
	return g
}

// registryFirmware returns the maker and the model of the machine.
func (c *collector) registryFirmware() *value.Map {
	g := value.NewMap()
	for _, f := range [][2]string{
		{"manufacturer", "SystemManufacturer"},
		{"productname", "SystemProductName"},
		{"biosvendor", "BIOSVendor"},
		{"biosversion", "BIOSVersion"},
		{"biosreleasedate", "BIOSReleaseDate"},
	} {
		g.Set(f[0], textOrNone(registryText(`HARDWARE\DESCRIPTION\System\BIOS`, f[1])))
	}
	return g
}

func (c *collector) registryProcessors() *value.Map {
	return value.NewMap("num_cpus", runtime.NumCPU(),
		"cpu_model", textOrNone(registryText(`HARDWARE\DESCRIPTION\System\CentralProcessor\0`, "ProcessorNameString")))
}

// physicalMemory returns the memory in MiB.
func (c *collector) physicalMemory() *value.Map {
	g := value.NewMap("mem_total", int64(0))
	if m, err := mem.VirtualMemory(); err == nil {
		g.Set("mem_total", int64(m.Total>>20))
	}
	return g
}

// domain returns the domain or the workgroup of the machine.
func (c *collector) domain() *value.Map {
	var name *uint16
	var kind uint32
	if windows.NetGetJoinInformation(nil, &name, &kind) != nil {
		return value.NewMap("windowsdomain", nil, "windowsdomaintype", "Unknown")
	}
	defer windows.NetApiBufferFree((*byte)(unsafe.Pointer(name))) //nolint:errcheck // nothing is lost
	kinds := []string{"Unknown", "Unjoined", "Workgroup", "Domain"}
	return value.NewMap("windowsdomain", windows.UTF16PtrToString(name), "windowsdomaintype", kinds[min(int(kind), len(kinds)-1)])
}

// windowsProcess returns the user, the process id and the paths of the minion.
func (c *collector) windowsProcess() *value.Map {
	path := strings.TrimSpace(c.getenv("PATH"))
	name := c.getenv("USERNAME")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	g := value.NewMap(
		"username", name, "groupname", "", "pid", os.Getpid(), "path", path,
		"systempath", wire.AnyList(strings.Split(path, ";")),
		"shell", cmp.Or(c.getenv("COMSPEC"), `C:\Windows\system32\cmd.exe`),
	)
	if cwd, err := os.Getwd(); err == nil {
		g.Set("cwd", cwd)
	}
	return g
}

// path returns the path of a file. Windows has none of those of Unix: such a name would mean a
// file of the current drive.
func (t tree) path(name string) string {
	if filepath.VolumeName(name) == "" {
		return "\x00" // no file has this name
	}
	return name
}
