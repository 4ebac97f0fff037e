package command

import "time"

// SetStopTime changes how long a command of this process may take to end.
func SetStopTime(d time.Duration) { stopTime = d }
