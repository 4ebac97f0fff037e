//go:build !linux

package modules

import "errors"

var errNoMaps = errors.New("this system does not report the memory maps of processes")

func (psInfoReader) memoryFull() (any, error) { return nil, errNoMaps }

func (psInfoReader) maps() (any, error) { return nil, errNoMaps }
