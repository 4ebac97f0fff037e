package saltkey

import "errors"

// become returns an error: Windows cannot change the user of a process.
func become(int, int) error { return errors.ErrUnsupported }
