package modules

import win "golang.org/x/sys/windows"

// diskSpace returns the free and total bytes of the volume at path.
func diskSpace(path string) (available, total uint64, err error) {
	name, err := win.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	return available, total, win.GetDiskFreeSpaceEx(name, &available, &total, nil)
}
