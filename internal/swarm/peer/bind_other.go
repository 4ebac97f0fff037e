//go:build unix && !linux

package peer

func bindNoPort(int) error { return nil }
