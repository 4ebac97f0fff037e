//go:build !linux

package modules

func (psInfoReader) memoryFull() (any, error) { return nil, errNoMaps }

func (psInfoReader) maps() (any, error) { return nil, errNoMaps }
