package config

// MasterReact says what a master does by itself: when events come, and by the clock.
type MasterReact struct {
	// Reactor names SLS files for the tags of events, see react.md: a list of {tag: [files]},
	// or a file that has it. Default none.
	Reactor Reactors `yaml:"reactor"`
	// ReactorWorkerThreads is how many runners, wheels and callers of reactions run at once.
	// Default 10.
	ReactorWorkerThreads int `yaml:"reactor_worker_threads" default:"10" min:"1" max:"1000"`
	// ReactorWorkerHwm is how many of them may wait; what comes beyond is dropped and told.
	// Default 10000.
	ReactorWorkerHwm int `yaml:"reactor_worker_hwm" default:"10000" min:"1" max:"1000000"`
	// Schedule holds runners that the master runs by the clock, see schedule.md. Default none.
	Schedule map[string]any `yaml:"schedule"`
}
